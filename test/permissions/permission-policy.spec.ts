import type { CodeRule } from '../../src/permissions/rules/compiled-rule.js';
import { PermissionPolicy } from '../../src/permissions/policy/permission-policy.js';
import type { ToolPolicy } from '../../src/tools/core/tool.js';
import { bash, BASH, judge, judgeCommand, NOW, prefix, READ, rule, WRITE } from './fixtures.js';
import type { Decision, Matcher, PermissionRule, RuleScope } from '../../src/protocol/wire/rule.js';

const ALL = { type: 'all' } as const;
const path = (pattern: string) => ({ type: 'path', pattern }) as const;

function write(path: string, content = '') {
  return { tool_name: 'write', tool_input: { path, content }, policy: WRITE };
}

describe(PermissionPolicy.name, () => {
  it.each<[Partial<ToolPolicy>, Decision]>([
    [{ category: 'read', read_only: true }, 'allow'],
    [{ category: 'read', read_only: false }, 'ask'],
    [{ category: 'compute', read_only: true }, 'allow'],
    [{ category: 'human', read_only: false }, 'allow'],
    [{ category: 'agent', read_only: false }, 'allow'],
    [{ category: 'write' }, 'ask'],
    [{ category: 'execute' }, 'ask'],
    [{ category: 'network', read_only: true }, 'ask'],
    [{ category: 'read', read_only: true, requires_approval: true }, 'ask'],
  ])('by default, a tool that is %j: %s', (more, decision) => {
    const verdict = judge([], { tool_name: 'x', tool_input: {}, policy: { ...BASH, ...more } });
    expect(verdict).toMatchObject({ decision, rule: null, rules: [] });
    expect(verdict.trace).toMatchObject([
      { rule: 'default', level: 'default', matched: true, decision },
    ]);
  });

  it('asks about a tool that it does not know', () => {
    expect(judge([], { tool_name: 'x', tool_input: {} }).decision).toBe('ask');
  });

  it('looks at user, session, agent and global rules in this order', () => {
    const scopes: RuleScope[] = ['global', 'agent', 'session', 'user'];
    const ids = { user: null, session: 'chat_1', agent: 'react', global: null };
    const rules = scopes.map((scope, at) =>
      rule(at % 2 ? 'allow' : 'deny', ALL, { scope, scope_id: ids[scope], priority: -at }),
    );
    for (let left = rules.length; left > 0; left--) {
      const expected = rules[left - 1]!;
      const call = { ...bash('x'), chat_id: 'chat_1', agent: 'react' };
      const { rule: found, decision } = judge(rules.slice(0, left), call);
      expect([found, decision]).toEqual([expected, expected.decision]);
    }
  });

  it('lets nothing overrule what the operator denies', () => {
    const operator = [prefix('deny', 'rm')];
    const added = [rule('allow', ALL, { scope: 'user', priority: 1_000_000 })];
    const under = (command: string) => judge(added, bash(command), { operator });
    expect(under('rm x')).toMatchObject({ decision: 'deny', rule: operator[0] });
    expect(under('rm x').trace).toMatchObject([{ rule: operator[0]!.id, matched: true }]);
    expect(under('$x').decision).toBe('ask');
    expect(under('ls')).toMatchObject({ decision: 'allow', rule: added[0] });
  });

  it('lets the operator make exceptions, and keeps them exceptions from his own rules only', () => {
    const operator = [prefix('allow', 'rm a'), rule('ask', path('b')), prefix('deny', 'rm')];
    const under = (command: string, added: PermissionRule[] = []) =>
      judge(added, bash(command), { operator }).decision;
    expect(under('rm a')).toBe('allow');
    expect(under('rm b')).toBe('ask');
    expect(under('rm c')).toBe('deny');
    const scope = 'user';
    expect(under('rm a', [rule('deny', ALL, { scope })])).toBe('deny');
    expect(under('rm c', [rule('allow', ALL, { scope })])).toBe('deny');
    expect(under('ls b', [rule('allow', ALL, { scope })])).toBe('allow');
  });

  it('goes by the rules of the operator for this call', () => {
    const operator = [rule('deny', ALL, { scope: 'agent', scope_id: 'react' })];
    const call = (agent: string) =>
      judge([rule('allow', ALL)], { ...bash('x'), agent }, { operator });
    expect([call('react').decision, call('other').decision]).toEqual(['deny', 'allow']);
  });

  it('escapes what a command or a description hides from the person who reads the reason', () => {
    const description = 'ok\n\u202E';
    const rules = [rule('ask', { type: 'tool', pattern: 'bash' }, { description })];
    for (const command of ['rm x\n\u001B[2K\u009B1A\u00A0\u2800\u202E# ls', 'echo "\n\u202E"'])
      for (const { reason, trace } of [judgeCommand([], command), judgeCommand(rules, command)])
        expect(JSON.stringify([reason, trace])).not.toMatch(
          /[\p{Cc}\u202E\u00A0\u2800]|\\n|\\u00[019]/u,
        );
  });

  it('keeps rules of other chats and agents out', () => {
    const rules = [
      rule('allow', ALL, { scope: 'session', scope_id: 'chat_2' }),
      rule('allow', ALL, { scope: 'agent', scope_id: 'other' }),
    ];
    expect(judge(rules, { ...bash('x'), chat_id: 'chat_1', agent: 'react' }).decision).toBe('ask');
    expect(judge(rules, bash('x')).decision).toBe('ask');
  });

  it('looks at the higher priority first, then at the older rule', () => {
    const old = rule('deny', ALL);
    const young = rule('allow', ALL);
    expect(judge([young, old], bash('x')).rule).toBe(old);
    expect(judge([old, { ...young, priority: 1 }], bash('x')).decision).toBe('allow');
    const inFile = { ...young, created_at: null };
    expect(judge([old, inFile], bash('x')).rule).toBe(inFile);
  });

  it('forgets rules that have expired or are used up', () => {
    const expires_at = NOW.toISOString();
    expect(judge([rule('allow', ALL, { expires_at })], bash('x')).decision).toBe('ask');
    const before = new Date(NOW.getTime() - 1);
    expect(judge([rule('allow', ALL, { expires_at })], bash('x'), { now: before }).decision).toBe(
      'allow',
    );
    expect(judge([rule('allow', ALL, { max_uses: 2, uses: 2 })], bash('x')).decision).toBe('ask');
    expect(judge([rule('allow', ALL, { max_uses: 2, uses: 1 })], bash('x')).decision).toBe('allow');
  });

  describe('of rules that would take too long together', () => {
    const many = (count: number, matcher: (n: number) => Matcher) =>
      Array.from({ length: count }, (_, n) => rule('deny', matcher(n)));
    const regexes = many(1000, (n) => ({ type: 'regex', pattern: `(a|b|c){1,90}x${n}` }));
    const prefixes = many(20, (n) => ({
      type: 'command_prefix',
      prefixes: Array.from({ length: 100 }, (__, m) => `rm -rf x${n}${m}`),
    }));
    const paths = many(500, (n) => path(`secrets/x${n}/**`));

    it.each<[string, PermissionRule[], string]>([
      ['patterns', regexes, `echo ${'abc '.repeat(2000)}`],
      ['commands in arguments', prefixes, `tool ${'rm -a '.repeat(900)}`],
      ['paths', paths, `cat ${`${'a/'.repeat(50)}=b:c `.repeat(150)}`],
      ['words of an unreadable command', prefixes, `" ${'rm -a '.repeat(900)}`],
    ])('denies, and says why: %s', (_, rules, command) => {
      const verdict = judge([...rules, rule('allow', ALL)], bash(command));
      expect(verdict).toMatchObject({ decision: 'deny', rule: null, rules: [] });
      expect(verdict.reason).toMatch(/by \d+ rules would take too long/);
    });

    it('searches a script once for all of its parts', () => {
      const rules = many(20, (n) => ({ type: 'regex', pattern: `secret${n}.*key` }));
      // So short that it is always read: only the searches can take too long.
      const script = Array.from({ length: 100 }, (_, n) => `w ${n}`).join(';');
      expect(script.length).toBeLessThanOrEqual(600);
      const { decision, reason } = judge([...rules, rule('allow', ALL)], bash(script));
      expect(reason).not.toContain('too long');
      expect(decision).toBe('allow');
    });

    it('judges ordinary commands by a thousand patterns', () => {
      const rules = many(1000, (n) => ({ type: 'regex', pattern: `\\bcurl host${n}\\b` }));
      const under = (command: string) =>
        judge([...rules, rule('allow', ALL)], bash(command)).decision;
      expect(under('git log --oneline | head -n 5 && npm test')).toBe('allow');
      expect(under('git log; curl host999')).toBe('deny');
    });
  });

  it('matches tools by name and by category', () => {
    const mcp = rule('allow', { type: 'tool', pattern: 'mcp__*' });
    expect(judge([mcp], { tool_name: 'mcp__x', tool_input: {}, policy: WRITE }).decision).toBe(
      'allow',
    );
    expect(judge([mcp], { tool_name: 'x_mcp__', tool_input: {}, policy: WRITE }).decision).toBe(
      'ask',
    );
    const writing = rule('allow', { type: 'category', category: 'write' });
    expect(judge([writing], write('x')).decision).toBe('allow');
    expect(judge([writing], bash('x > y')).decision).toBe('ask');
    const noWriting = [{ ...writing, decision: 'deny' as const }, rule('allow', ALL)];
    expect(judge(noWriting, bash('x > y')).decision).toBe('deny');
    expect(judge(noWriting, bash('x')).decision).toBe('allow');
  });

  it('matches a call with exactly one input', () => {
    const exact = rule('allow', {
      type: 'tool',
      pattern: 'mail',
      input: { to: 'a', n: { x: 1, y: 2 } },
    });
    const mail = (tool_input: Record<string, unknown>) =>
      judge([exact], { tool_name: 'mail', tool_input, policy: WRITE }).decision;
    expect(mail({ n: { y: 2, x: 1 }, to: 'a' })).toBe('allow');
    expect(mail({ to: 'a' })).toBe('ask');
    expect(mail({ to: 'a', n: { x: 1, y: 2 }, cc: 'b' })).toBe('ask');
  });

  it.each<[string, Decision]>([
    ['src/a.ts', 'allow'],
    ['./src//b/./c.ts', 'allow'],
    ['src\\d.ts', 'allow'],
    ['lib/a.ts', 'ask'],
    ['src/../lib/a.ts', 'ask'],
    ['src/../src/a.ts', 'ask'],
    ['/src/a.ts', 'ask'],
    ['/home/src/a.ts', 'ask'],
    ['~/src/a.ts', 'ask'],
    ['C:\\src\\a.ts', 'ask'],
    ['src/..\\..\\a', 'ask'],
    ['src/\0', 'ask'],
  ])('a path that is allowed stays in the workspace: %j: %s', (path, decision) => {
    expect(judge([rule('allow', { type: 'path', pattern: 'src/**' })], write(path)).decision).toBe(
      decision,
    );
  });

  it('allows a call only if all of its paths are', () => {
    const rules = [rule('allow', { type: 'path', pattern: 'src/**' })];
    const copy = (source: string, targetPath: string) =>
      judge(rules, {
        tool_name: 'copy',
        tool_input: { source, nested: [{ targetPath }] },
        policy: WRITE,
      });
    expect(copy('src/a', 'src/b').decision).toBe('allow');
    expect(copy('src/a', 'lib/b').decision).toBe('ask');
    expect(
      judge(rules, { tool_name: 'x', tool_input: { text: 'src/a' }, policy: WRITE }).decision,
    ).toBe('ask');
  });

  it.each([
    'secrets/a',
    './secrets/a',
    'x/../secrets/a',
    '/home/space/secrets/a',
    '../w/secrets/a',
    'Secrets/A',
    'secrets',
  ])('a path that is denied is so in every spelling: %j', (path) => {
    const rules = [rule('deny', { type: 'path', pattern: 'secrets/**' }), rule('allow', ALL)];
    expect(judge(rules, { tool_name: 'read', tool_input: { path }, policy: READ }).decision).toBe(
      'deny',
    );
  });

  it('asks about a command that writes a file, unless the files and all commands are allowed', () => {
    const out = rule('allow', path('out/**'));
    const rules = [prefix('allow', 'git log'), out];
    expect(judgeCommand(rules, 'git log > out/log.txt').decision).toBe('ask');
    const all = [
      out,
      rule('deny', path('*.txt')),
      rule('allow', { type: 'tool', pattern: 'bash' }),
    ];
    expect(judgeCommand(all, 'git log > out/log.txt').decision).toBe('allow');
    expect(judgeCommand(all, 'git log > log.txt').decision).toBe('deny');
    expect(judgeCommand(all, 'git log > out/../log.txt').decision).toBe('deny');
    expect(judgeCommand(all, 'git log > out/$x').decision).toBe('ask');
  });

  it('takes a pattern that allows from the start of each text on', () => {
    const rules = [rule('allow', { type: 'regex', pattern: 'npm (test|run lint)' })];
    expect(judgeCommand(rules, 'npm test --silent a').decision).toBe('allow');
    expect(judgeCommand(rules, 'npm test -- -i').decision).toBe('ask');
    expect(judgeCommand(rules, 'echo npm test').decision).toBe('ask');
    expect(judgeCommand(rules, 'npm test; npm install').decision).toBe('ask');
    expect(judgeCommand(rules, 'npm test $x').decision).toBe('ask');
    expect(judgeCommand(rules, 'npm "test; x"').decision).toBe('ask');
    const query = (tool_input: Record<string, unknown>) =>
      judge([rule('allow', { type: 'regex', pattern: 'SELECT ' })], {
        tool_name: 'sql',
        tool_input,
        policy: WRITE,
      });
    expect(query({ query: 'SELECT 1' }).decision).toBe('allow');
    expect(query({ query: 'SELECT 1', database: 'prod' }).decision).toBe('ask');
    expect(query({}).decision).toBe('ask');
  });

  it('takes a pattern that denies anywhere', () => {
    const rules = [rule('deny', { type: 'regex', pattern: 'passw(or)?d' }), rule('allow', ALL)];
    expect(judge(rules, write('a', 'my password')).decision).toBe('deny');
    expect(judge(rules, write('passwd')).decision).toBe('deny');
    expect(judgeCommand(rules, 'echo; cat "pass"wd').decision).toBe('deny');
    expect(judge(rules, write('a', 'b')).decision).toBe('allow');
  });

  it('counts a pattern that would take too long as denied, and not as allowed', () => {
    const pattern = '(?:a?){500}a{500}';
    const content = 'a'.repeat(50_000);
    const deny = [rule('deny', { type: 'regex', pattern }), rule('allow', ALL)];
    expect(judge(deny, write('x', content)).decision).toBe('deny');
    expect(judge([rule('allow', { type: 'regex', pattern })], write(content)).decision).toBe('ask');
  });

  it('asks functions', () => {
    const code = (decision: Decision, matches: () => boolean): CodeRule => ({
      ...rule(decision, ALL),
      matcher: { type: 'custom', matches },
    });
    const fail = () => {
      throw new Error('no');
    };
    expect(judge([code('allow', () => true)], write('x')).decision).toBe('allow');
    expect(judge([code('allow', () => false)], write('x')).decision).toBe('ask');
    expect(judge([code('allow', fail)], write('x')).decision).toBe('ask');
    expect(judge([code('deny', fail), rule('allow', ALL)], write('x')).decision).toBe('deny');
  });

  it('takes every rule that it needed for what it allows', () => {
    const [log, list] = [prefix('allow', 'git log'), prefix('allow', 'ls')];
    const verdict = judgeCommand([log, list], 'git log | ls; git log');
    expect(verdict).toMatchObject({ decision: 'allow', rule: log });
    expect(verdict.rules).toEqual([log, list]);
  });

  it('takes a matcher that can’t be used any more for one that denies, not one that allows', () => {
    const matcher = { type: 'regex', pattern: '(' } as const;
    expect(judge([rule('deny', matcher), rule('allow', ALL)], bash('x')).decision).toBe('deny');
    expect(judge([rule('allow', matcher)], bash('x')).decision).toBe('ask');
  });

  it('never allows a command that it can’t read', () => {
    const policy = new PermissionPolicy({ operator: [], added: [rule('allow', ALL)] });
    expect(policy.judge(bash('ls'), NOW).decision).toBe('ask');
    expect(judgeCommand([rule('allow', ALL)], 'ls "').decision).toBe('ask');
    const exact = rule('allow', { type: 'tool', pattern: 'bash', input: { command: 'ls "' } });
    expect(judgeCommand([exact], 'ls "').decision).toBe('allow');
  });

  it('says in a sentence what decided, and keeps the trace short', () => {
    const rules = [
      prefix('allow', 'ls'),
      ...Array.from({ length: 50 }, () => prefix('deny', 'nothing')),
    ];
    const verdict = judgeCommand(rules, Array.from({ length: 30 }, (_, n) => `x${n}`).join(';'));
    expect(verdict.reason).toBe('Asks about `x0`: no rule covers it, and bash executes commands.');
    expect(verdict.trace).toHaveLength(500);
    expect(judgeCommand([prefix('deny', 'rm')], 'ls; rm x').reason).toMatch(
      /^Denies `rm x`: the global rule rule_\d+ says deny \(the command is one of those that it names\)\.$/,
    );
    expect(judgeCommand([prefix('deny', 'rm -rf')], '$x -rf y').reason).toMatch(
      /^Asks about `… -rf y`: the global rule rule_\d+ says deny and may match \(.*\), so a person is asked\.$/,
    );
  });
});
