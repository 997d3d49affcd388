import type { Settlement } from '../../persistence/rows/request-rows.js';
import type { RecordBody, RecordOf } from '../../protocol/events.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { redactionNotice } from '../../guardrails/redaction/redaction.js';

type Approval = Extract<Settlement, { kind: 'approval' }>;

/** The record of a verdict. */
export function decisionOf(
  { approved, by, cause, reason, modified_input }: Approval,
  ids: { readonly approval_id: string; readonly tool_call_id: string },
): RecordOf<'APPROVED'> | RecordOf<'REJECTED'> {
  const told = { ...ids, by, ...(cause && { cause }), ...(reason !== undefined && { reason }) };
  if (!approved) return { type: 'REJECTED', ...told };
  return { type: 'APPROVED', ...told, ...(modified_input && { modified_input }) };
}

/** The record of a verdict, after the notice of what was redacted in its reason. */
export function decisionsOf(
  approval: Approval,
  ids: { readonly approval_id: string; readonly tool_call_id: string },
): RecordBody[] {
  const { redacted } = approval;
  const decision = decisionOf(approval, ids);
  return redacted ? [redactionNotice('The reason', redacted), decision] : [decision];
}

/** The input to run: the person's, else the model's. */
export function inputOf(
  { modified_input }: Pick<Approval, 'modified_input'>,
  tool_input: string,
): string {
  return modified_input ? JSON.stringify(modified_input) : tool_input;
}

/** Result of a rejected call, for the model. */
export function describeRejection({ cause, reason }: Approval): string {
  if (cause === 'timeout')
    return 'Nobody answered in time whether this call may run, so it did not run.';
  const why = reason === undefined ? '' : ` Reason: ${reason}`;
  return `The user rejected this call; it did not run.${why}`;
}

interface SettledCall {
  readonly approval_id: string;
  readonly key: string;
  readonly agent_id: string;
  readonly id: string;
  readonly tool_name: string;
}

/** Reports the outcome of a deferred call to the agent. */
export function deferredNote(
  { approval_id, key, agent_id, id, tool_name }: SettledCall,
  outcome: string,
): Entry {
  const note = `The call ${id} of ${tool_name}, which waited for approval, is settled:\n${outcome}`;
  const hidden = { deferred: approval_id, key, note };
  const body = { type: 'NOTICE', code: 'deferred_call_settled', message: note } as const;
  return { agent_id, key: null, body, hidden };
}
