import type { Tool } from '../../tools/core/tool.js';
import type { Journal } from '../journal/journal.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { ToolCallInput } from './tool-call-input.js';

/**
 * Reason to refuse the call, for the model: a guardrail, a limit or a budget. Undefined if it may
 * begin.
 */
export function callRefusal(
  { run }: AgentScope,
  { key, agent }: Pick<ToolCallInput, 'key' | 'agent'>,
): string | undefined {
  const refusal =
    guardrailRefusal(run.journal, key) ??
    run.callLimits.refusalOf(key) ??
    run.budgets.refusalOf(key);
  if (refusal !== undefined) return refusal;
  const exceeded = run.budgets.exceeded(agent.id, run.now);
  return exceeded && `This call did not run. ${exceeded.message}`;
}

/**
 * Refuses a call whose arguments a guardrail has changed: readers and approvers must see what runs.
 */
function guardrailRefusal(journal: Journal, key: string): string | undefined {
  const hidden = journal.findProgress(key, 'TOOL_CALL')?.hidden;
  if (!hidden || !('withheld' in hidden)) return undefined;
  return 'This call did not run: a guardrail has changed its arguments, so they are not what you wrote. Write them without what was taken out.';
}

/** Matches the placeholder of a redacted secret, in JSON. */
const PLACEHOLDER = /\[redacted: [^\]\\"]{1,80}\]/;

/**
 * Refuses write and execute calls whose arguments contain a `[redacted: …]` placeholder: it would
 * overwrite the secret.
 */
export function placeholderRefusal({ policy }: Tool, tool_input: string): string | undefined {
  if (policy.category !== 'write' && policy.category !== 'execute') return undefined;
  const [placeholder] = PLACEHOLDER.exec(tool_input) ?? [];
  if (placeholder === undefined) return undefined;
  return `This call did not run: its arguments hold ${placeholder}, which stands for a secret that you were not shown. Written down it would destroy the secret. Change what is around it, for instance with edit, or ask the user to do it.`;
}

/**
 * Refuses an approved call of a tool whose server has changed its declaration since a person was
 * asked: they have approved another one.
 * @param declared of the tool that the person was asked about
 */
export function changedRefusal(declared: string | undefined, tool: Tool): string | undefined {
  if (declared === undefined || declared === tool.declared) return undefined;
  return `This call did not run: the description or the arguments of ${tool.name} have changed since a person was asked to approve it. Read them again, and call it again if it is still right: it is then asked about as it is now.`;
}
