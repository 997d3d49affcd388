import type { Settlement } from '../../persistence/rows/request-rows.js';
import type { RecordOf } from '../../protocol/events.js';

type Approval = Extract<Settlement, { kind: 'approval' }>;

/** The record that tells of a verdict. */
export function decisionOf(
  { approved, by, reason, modified_input }: Approval,
  ids: { readonly approval_id: string; readonly tool_call_id: string },
): RecordOf<'APPROVED'> | RecordOf<'REJECTED'> {
  const told = { ...ids, by, ...(reason !== undefined && { reason }) };
  if (!approved) return { type: 'REJECTED', ...told };
  return { type: 'APPROVED', ...told, ...(modified_input && { modified_input }) };
}

/** What runs: what a person made of it, else what the model wrote. */
export function inputOf(
  { modified_input }: Pick<Approval, 'modified_input'>,
  tool_input: string,
): string {
  return modified_input ? JSON.stringify(modified_input) : tool_input;
}

/** What the model is told of a call that did not run. */
export function describeRejection({ by, reason }: Approval): string {
  const why = reason === undefined ? '' : ` Reason: ${reason}`;
  switch (by) {
    case 'timeout':
      return 'Nobody answered in time whether this call may run, so it did not run.';
    case 'rule':
    case 'cancel':
    case 'user':
      return `The user rejected this call; it did not run.${why}`;
  }
}
