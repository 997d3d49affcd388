import { FileFilter } from './file-filter.js';
import type { PermissionCall } from '../matching/permission-call.js';
import { PermissionPolicy } from './permission-policy.js';
import type { PermissionRule } from '../../protocol/wire/rule.js';

const READS = { category: 'read', read_only: true, risk: 'low', recovery: 'rerun' } as const;

function rule(more: Partial<PermissionRule>): PermissionRule {
  return {
    ...{ id: 'rule_1', scope: 'global', scope_id: null, priority: 0, decision: 'deny' },
    ...{ matcher: { type: 'all' }, description: null, expires_at: null, max_uses: null },
    ...{ created_at: null, uses: 0, ...more },
  };
}

const path = (pattern: string, tool?: string) => ({
  matcher: { type: 'path', pattern, ...(tool !== undefined && { tool }) } as const,
});

function shown(
  rules: readonly PermissionRule[],
  call: Partial<PermissionCall> = {},
  tool_names = ['grep', 'read'],
): string[] {
  const own = { tool_name: 'grep', tool_input: { pattern: 'x' }, policy: READS, ...call };
  const filter = new FileFilter(new PermissionPolicy({ operator: rules, added: [] }), {
    ...{ call: own, tool_names, now: new Date() },
  });
  return ['.env', 'a/.env', 'secrets/public/x', 'secrets/x', 'src/x'].filter((file) =>
    filter.shows(file),
  );
}

const ALL = ['.env', 'a/.env', 'secrets/public/x', 'secrets/x', 'src/x'];

describe(FileFilter.name, () => {
  it.each<[string, PermissionRule[], string[]]>([
    ['no rule', [], ALL],
    ['a rule that denies one', [rule(path('.env'))], ALL.slice(1)],
    ['one that denies them in any folder', [rule(path('**/.env'))], ALL.slice(2)],
    ['one that denies a folder', [rule(path('SECRETS/**'))], ['.env', 'a/.env', 'src/x']],
    [
      'one that allows some before it',
      [rule({ ...path('secrets/public/**'), decision: 'allow' }), rule(path('secrets/**'))],
      ['.env', 'a/.env', 'secrets/public/x', 'src/x'],
    ],
    ['one for the tool read', [rule(path('.env', 'read'))], ALL.slice(1)],
    ['one for another tool', [rule(path('.env', 'write'))], ALL],
    ['one that asks', [rule({ ...path('**/.env'), decision: 'ask' })], ALL.slice(2)],
    ['one that denies the tool read', [rule({ matcher: { type: 'tool', pattern: 'read' } })], []],
    ['one about commands', [rule({ matcher: { type: 'command_prefix', prefixes: ['cat'] } })], ALL],
    ['one that is over', [rule({ ...path('**'), expires_at: '2000-01-01T00:00:00Z' })], ALL],
    ['one of another chat', [rule({ ...path('**'), scope: 'session', scope_id: 'c2' })], ALL],
  ])('goes by %s', (_, rules, expected) => {
    expect(shown(rules, { chat_id: 'c1' })).toEqual(expected);
  });

  it('goes by rules of the chat and of the agent type', () => {
    const session = rule({ ...path('.env'), scope: 'session', scope_id: 'c1' });
    const agent = rule({ ...path('a/**'), scope: 'agent', scope_id: 'react' });
    expect(shown([session, agent], { chat_id: 'c1', agent: 'react' })).toEqual(ALL.slice(2));
  });

  it('shows what a person was asked about, and agreed to, by the same rule', () => {
    const ask = rule({ ...path('secrets/**'), decision: 'ask' });
    expect(shown([ask], { tool_input: { path: 'secrets' } })).toEqual(ALL);
    expect(shown([ask])).toEqual(['.env', 'a/.env', 'src/x']);
    const askAll = rule({ matcher: { type: 'category', category: 'read' }, decision: 'ask' });
    expect(shown([askAll])).toEqual(ALL);
  });

  it('judges names by the tools that it is given', () => {
    expect(shown([rule(path('.env', 'read'))], {}, ['glob'])).toEqual(ALL);
    expect(shown([rule(path('.env'))], {}, ['glob'])).toEqual(ALL.slice(1));
  });
});
