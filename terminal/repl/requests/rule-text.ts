import type { Client } from '../../../client/index.js';
import { sanitize } from '../../render/sanitize.js';

type Rule = NonNullable<Awaited<ReturnType<Client['requests']['approve']>>['rule']>;

/** `allow in this chat: {"type":"command_prefix","prefixes":["npm test"],"exact":true}` */
export function ruleText({ decision, scope, scope_id, matcher }: Rule): string {
  const where = {
    session: 'in this chat',
    agent: `for the agent ${scope_id}`,
    global: 'everywhere',
    user: 'for you',
  };
  return `${decision} ${where[scope]}: ${subjectOf({ matcher })}`;
}

/** The calls that a rule decides. */
export function subjectOf({ matcher }: { readonly matcher: object }): string {
  return sanitize(matcherText(matcher));
}

function matcherText(matcher: object): string {
  const { type, prefixes, exact, pattern, tool } = matcher as Readonly<Record<string, unknown>>;
  if (type === 'command_prefix' && Array.isArray(prefixes))
    return `the command${prefixes.length > 1 ? 's' : ''} ${prefixes.map((it) => `\`${it}\``).join(', ')}${exact ? ', exactly' : ''}`;
  if (type === 'path' && typeof pattern === 'string')
    return `${typeof tool === 'string' ? tool : 'any tool'} on the path ${pattern}`;
  return JSON.stringify(matcher);
}
