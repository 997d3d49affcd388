import type { AgentScope } from '../scope/agent-scope.js';
import { listAllRequests } from '../../approvals/list-all-requests.js';
import type { Clock } from '../../kernel/clock.js';
import type { RequestStore } from '../../persistence/request.store.js';
import type { RequestKind, RequestRow, Settlement } from '../../persistence/rows/request-rows.js';

export interface CloseRequestsOptions {
  readonly requests: RequestStore;
  readonly clock: Clock;
  readonly scope: AgentScope;
}

/** Nobody can settle them any more; what somebody has settled first counts (I5). Of these agents, or of all. */
export async function closeRequests(
  options: CloseRequestsOptions,
  agents?: ReadonlySet<string>,
): Promise<void> {
  const { requests, scope } = options;
  const { id: interaction_id } = scope.interaction;
  for await (const row of listAllRequests(requests, { interaction_id }))
    if (agents?.has(row.agent_id) ?? true) scope.takeRequests([await settled(row, options)]);
}

async function settled(
  row: RequestRow,
  { requests, clock }: CloseRequestsOptions,
): Promise<RequestRow> {
  if (row.status !== 'pending') return row;
  const at = clock.now().toISOString();
  const settlement = cancelled(row.kind);
  await requests.settleRequest({ request_id: row.id, settlement, at, accept_expired: true });
  return (await requests.findRequest(row.id)) ?? row;
}

function cancelled(kind: RequestKind): Settlement {
  switch (kind) {
    case 'approval':
      return { kind, approved: false, by: 'cancel' };
    case 'input':
      return { kind, answer: null, by: 'cancel' };
    case 'tool':
      return { kind, tool_output: 'Cancelled.', is_error: true, by: 'cancel' };
  }
}
