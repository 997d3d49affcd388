type Matcher = Readonly<Record<string, unknown>>;

/** The subject of a rule, in words and code: the parts in code are other people's text. */
export interface MatcherText {
  readonly words: string;
  readonly code: readonly string[];
  /** Words after the code. */
  readonly rest?: string;
}

export function matcherText(matcher: Matcher): MatcherText {
  const tool = typeof matcher['tool'] === 'string' ? matcher['tool'] : undefined;
  switch (matcher['type']) {
    case 'all':
      return { words: 'every call', code: [] };
    case 'tool':
      return 'input' in matcher
        ? {
            words: `calls of ${text(matcher['pattern'])} with exactly this input`,
            code: [JSON.stringify(matcher['input'], null, 2)],
          }
        : { words: 'calls of the tool', code: [text(matcher['pattern'])] };
    case 'category':
      return { words: 'calls of tools of the category', code: [text(matcher['category'])] };
    case 'command_prefix':
      return commands(matcher);
    case 'path':
      return {
        words: `calls${tool === undefined ? '' : ` of ${tool}`} on ${filesWord(matcher['pattern'])}`,
        code: [text(matcher['pattern'])],
      };
    case 'regex':
      return {
        words: `calls${tool === undefined ? '' : ` of ${tool}`} that match`,
        code: [text(matcher['pattern'])],
      };
    default:
      return { words: 'calls like', code: [JSON.stringify(matcher)] };
  }
}

/** Globs are for several files. */
function filesWord(pattern: unknown): string {
  return /[*?[{]/.test(text(pattern)) ? 'files like' : 'the file';
}

function commands({ prefixes, exact, open }: Matcher): MatcherText {
  const list = Array.isArray(prefixes) ? prefixes.map(text) : [];
  if (exact === true)
    return {
      words: list.length === 1 ? 'exactly the command' : 'exactly the commands',
      code: list,
    };
  const rest = open === true ? 'with anything after them' : undefined;
  return { words: 'commands that begin with', code: list, ...(rest !== undefined && { rest }) };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const SCOPES: Readonly<Record<string, string>> = {
  user: 'for what I start',
  session: 'in one chat',
  agent: 'for one kind of agent',
  global: 'everywhere',
};

export const ruleText = {
  list: 'Rules, in the order in which they are looked at',
  none: 'No rules yet. Without any, reading is allowed, and what changes something asks.',
  add: 'Add a rule',
  added: 'The rule was added.',
  fine: 'All right',
  decision: 'Decision',
  decisions: { allow: 'allow', ask: 'ask', deny: 'deny' } as const,
  matcher: 'About',
  where: 'Holds',
  scopes: SCOPES,
  scopeOf: (scope: string, id: string | null) => {
    if (id === null) return scope === 'user' ? 'for every user' : (SCOPES[scope] ?? scope);
    return (
      { user: `for ${id}`, session: `in the chat ${id}`, agent: `for ${id} agents` }[scope] ?? id
    );
  },
  priority: 'Priority, higher first',
  order: 'Priority',
  limits: 'Limits',
  uses: (uses: number, of: number) => `used ${uses} of ${of} times`,
  until: 'Until',
  maxUses: 'Times that it may decide',
  description: 'Description',
  ofFile: 'of a file',
  kinds: {
    command_prefix: 'commands',
    tool: 'a tool',
    category: 'tools of a category',
    path: 'files',
    regex: 'a pattern',
    all: 'every call',
  } as Readonly<Record<string, string>>,
  category: 'Category',
  categories: ['read', 'write', 'execute', 'network', 'compute', 'human', 'agent'],
  prefixes: 'Beginnings of commands, one a line',
  toolPattern: 'Tool, * for any letters',
  pathPattern: 'Files, such as src/**',
  regexPattern: 'Pattern (RE2)',
  onlyTool: 'Only of the tool',
  dryRun: 'What would the rules say?',
  tool: 'Tool',
  input: 'Input, as JSON',
  chat: 'Chat',
  anyChat: 'none',
  agent: 'Kind of agent',
  anyAgent: 'none',
  check: 'Try',
  trace: (count: number) => `What was considered (${count})`,
  level: 'Rule of',
  command: 'Part',
  matched: 'Matches',
  matches: (matched: boolean | 'maybe') => (matched === 'maybe' ? 'maybe' : matched ? 'yes' : 'no'),
  why: 'Why',
};
