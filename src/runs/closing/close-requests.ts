import { ANY_TENANT } from '../../persistence/any-tenant.js';
import { listAllRequests } from '../../approvals/list-all-requests.js';
import type { RequestRow, Settlement } from '../../persistence/rows/request-rows.js';
import { deciderOf } from '../../protocol/events.js';
import type { RunScope } from '../scope/run-scope.js';
import type { RequestKind } from '../../protocol/wire/request.js';

/**
 * Settles the open requests that are included as cancelled. An earlier settlement takes precedence
 * (I5).
 */
export async function closeRequests(
  run: RunScope,
  isIncluded: (row: RequestRow) => boolean = () => true,
): Promise<void> {
  const { requests } = run.services;
  const { id: interaction_id } = run.interaction;
  for await (const row of listAllRequests(requests, { viewer: ANY_TENANT, interaction_id }))
    if (isIncluded(row))
      run.requests.resolve(row.status === 'pending' ? ((await cancel(run, row)) ?? row) : row);
}

/**
 * Settles a question as cancelled: its answer is no longer needed. An earlier answer takes
 * precedence (I5).
 */
export async function withdrawQuestion(run: RunScope, requestId: string): Promise<void> {
  const row = await cancel(run, { id: requestId, kind: 'input' });
  if (row) run.requests.resolve(row);
}

async function cancel(
  run: RunScope,
  { id: request_id, kind }: Pick<RequestRow, 'id' | 'kind'>,
): Promise<RequestRow | undefined> {
  const { requests, clock } = run.services;
  const at = clock.now().toISOString();
  const settlement = cancelled(kind);
  const { tenant_id } = run.interaction;
  await requests.settleRequest({ request_id, tenant_id, settlement, at, accept_expired: true });
  return requests.findRequest(request_id, ANY_TENANT);
}

const BY_CANCEL = { by: deciderOf(null), cause: 'cancel' } as const;

function cancelled(kind: RequestKind): Settlement {
  switch (kind) {
    case 'approval':
      return { kind, approved: false, ...BY_CANCEL };
    case 'input':
      return { kind, answer: null, ...BY_CANCEL };
    case 'tool':
      return { kind, tool_output: 'Cancelled.', is_error: true, ...BY_CANCEL };
  }
}
