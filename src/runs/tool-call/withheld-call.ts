import type { Tool } from '../../tools/tool.js';
import type { Journal } from '../journal/journal.js';

/** Why a call does not run, for the model: what readers and approvers see is what runs, or else nothing does. */
export function whyWithheld(journal: Journal, key: string): string | undefined {
  const hidden = journal.findEarlierRecord(key, 'TOOL_CALL')?.hidden;
  if (!hidden || !('withheld' in hidden)) return undefined;
  return 'This call did not run: a guardrail has changed its arguments, so they are not what you wrote. Write them without what was taken out.';
}

/** What stands for a secret that was redacted, in JSON. */
const PLACEHOLDER = /\[redacted: [^\]\\"]{1,80}\]/;

/** Why a call does not run that would write what stands for a secret in the secret's place. */
export function whyHollow({ policy }: Tool, tool_input: string): string | undefined {
  if (policy.category !== 'write' && policy.category !== 'execute') return undefined;
  const [placeholder] = PLACEHOLDER.exec(tool_input) ?? [];
  if (placeholder === undefined) return undefined;
  return `This call did not run: its arguments hold ${placeholder}, which stands for a secret that you were not shown. Written down it would destroy the secret. Change what is around it, for instance with edit, or ask the user to do it.`;
}
