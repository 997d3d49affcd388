import type { PartVerdict } from './judge-part.js';
import type { CodeRule } from './compiled-rule.js';
import type { PermissionRule } from './permission-rule.js';
import { showPart } from './trace.js';

/** The sentence that people read. */
export function describeVerdict(verdict: PartVerdict, toolName: string): string {
  const { decision, part, rule, why } = verdict;
  const what = part.kind === 'call' ? toolName : `\`${showPart(part)}\``;
  if (rule && rule.decision !== decision)
    return `Asks about ${what}: ${describeRule(rule)} and may match (${why}), so a person is asked.`;
  if (rule) return `${VERB[decision]} ${what}: ${describeRule(rule)} (${why}).`;
  if (decision === 'allow') return `${VERB.allow} ${what}: ${why}, and no rule says otherwise.`;
  return `${VERB[decision]} ${what}: no rule covers it, and ${why}.`;
}

const VERB = { allow: 'Allows', deny: 'Denies', ask: 'Asks about' } as const;

function describeRule({ id, decision, scope, description }: PermissionRule | CodeRule): string {
  const said = description ? ` “${description}”` : '';
  return `the ${scope} rule ${id}${said} says ${decision}`;
}
