import type { client } from '../../session/client';

export const DECISIONS = ['allow', 'ask', 'deny'] as const;
export const SCOPES = ['user', 'session', 'agent', 'global'] as const;
export const MATCHERS = ['command_prefix', 'tool', 'category', 'path', 'regex', 'all'] as const;
export type MatcherKind = (typeof MATCHERS)[number];

type NewRule = Parameters<typeof client.permissions.add>[0];

/** The rule that a filled form says; the server checks it. */
export function ruleOf(type: MatcherKind, form: Pick<FormData, 'get'>): NewRule {
  const field = (name: string): string => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const optional = (name: string, as: (text: string) => unknown = (it) => it): object =>
    field(name) === '' ? {} : { [name]: as(field(name)) };
  return {
    scope: SCOPES.find((it) => it === field('scope')) ?? 'user',
    decision: DECISIONS.find((it) => it === field('decision')) ?? 'ask',
    matcher: { type, ...matcherOf(type, field) },
    priority: Number(field('priority')),
    ...optional('scope_id'),
    ...optional('description'),
    ...optional('max_uses', Number),
    ...optional('expires_at', (text) => new Date(text).toISOString()),
  };
}

function matcherOf(type: MatcherKind, field: (name: string) => string): object {
  switch (type) {
    case 'all':
      return {};
    case 'category':
      return { category: field('category') };
    case 'command_prefix':
      return {
        prefixes: field('prefixes')
          .split('\n')
          .map((it) => it.trim())
          .filter(Boolean),
      };
    case 'tool':
      return { pattern: field('pattern') };
    case 'path':
    case 'regex':
      return { pattern: field('pattern'), ...(field('tool') !== '' && { tool: field('tool') }) };
  }
}
