import { describe, expect, it } from '@jest/globals';
import { ruleOf } from './rule-form';

const form = (values: Record<string, string>) => ({ get: (name: string) => values[name] ?? null });

describe(ruleOf.name, () => {
  it('says only what was filled in', () => {
    const values = { scope: 'session', decision: 'allow', scope_id: ' c ', max_uses: '3' };
    expect(
      ruleOf('command_prefix', form({ ...values, prefixes: 'git log\n\n git status ' })),
    ).toEqual({
      ...{ scope: 'session', scope_id: 'c', decision: 'allow', max_uses: 3, priority: 0 },
      matcher: { type: 'command_prefix', prefixes: ['git log', 'git status'] },
    });
  });

  it.each([
    ['all', {}, { type: 'all' }],
    ['category', { category: 'read' }, { type: 'category', category: 'read' }],
    ['tool', { pattern: 'mcp__*', tool: 'x' }, { type: 'tool', pattern: 'mcp__*' }],
    ['path', { pattern: 'src/**', tool: '' }, { type: 'path', pattern: 'src/**' }],
    ['regex', { pattern: 'a', tool: 'bash' }, { type: 'regex', pattern: 'a', tool: 'bash' }],
  ] as const)('makes a matcher of the type %s', (type, values, matcher) => {
    expect(ruleOf(type, form(values)).matcher).toEqual(matcher);
  });
});
