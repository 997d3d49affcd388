import { AppError } from '../kernel/app-error.js';
import type { RequestRow, Settled, Settlement } from '../persistence/rows/request-rows.js';
import type { Cause } from '../protocol/events.js';
import type { RequestKind } from '../protocol/wire/request.js';

/** The interaction that a request has to belong to. */
export interface RequestOwner {
  readonly chat_id: string;
  readonly interaction_id: string;
}

export function requestNotFound(id: string, { chat_id, interaction_id }: RequestOwner): AppError {
  return new AppError(
    'not_found',
    'request_not_found',
    `The interaction ${interaction_id} of the chat ${chat_id} has no such request: ${id}. GET /requests lists what waits.`,
  );
}

/** For a request of another kind than the endpoint's. */
export function wrongEndpoint(row: RequestRow): AppError {
  return new AppError('not_found', 'request_not_found', describeEndpoint(row));
}

/** @param other the request of the same call that is no result of a client's tool */
export function toolCallNotFound(
  callId: string,
  interactionId: string,
  other?: RequestRow,
): AppError {
  const problem = `The interaction ${interactionId} does not wait for the result of a call ${callId}.`;
  const hint = other ? describeEndpoint(other) : 'GET /requests lists what waits.';
  return new AppError('not_found', 'tool_call_not_found', `${problem} ${hint}`);
}

export function requestExpired({ expires_at }: RequestRow): AppError {
  return new AppError('invalid', 'request_expired', `This request expired at ${expires_at}.`);
}

/**
 * With the decision that counts. Without a settlement, its interaction has ended or is about to.
 */
export function alreadyProcessed(row: RequestRow | undefined): AppError {
  const { settlement = null, settled_at: at = null } = row ?? {};
  if (!settlement)
    return processed(
      'This request can’t be settled any more: its interaction ended or is being cancelled.',
    );
  const decision = {
    ...(settlement.kind === 'approval' && { approved: settlement.approved }),
    by: settlement.by,
    ...(settlement.cause && { cause: settlement.cause }),
    at,
  };
  return processed(`${describe(settlement)} at ${at}; the first decision counts.`, { decision });
}

function processed(message: string, extra: Readonly<Record<string, unknown>> = {}): AppError {
  return new AppError('invalid', 'already_processed', message, { extra });
}

function describeEndpoint({ id, kind }: RequestRow): string {
  return `${id} ${ENDPOINTS[kind]}`;
}

const ENDPOINTS: Readonly<Record<RequestKind, string>> = {
  approval: 'is an approval: POST …/approve decides it.',
  input: 'is a question: POST …/respond answers it.',
  tool: 'waits for the result of a tool that the client runs: POST …/tool-results takes it.',
};

function describe(settlement: Settlement): string {
  const by = describeDecider(settlement);
  switch (settlement.kind) {
    case 'approval':
      return `This call was ${settlement.approved ? 'approved' : 'rejected'} ${by}`;
    case 'input':
      return `This question was ${settlement.answer === null ? 'declined' : 'answered'} ${by}`;
    case 'tool':
      return `The result of this call was settled ${by}`;
  }
}

function describeDecider({ by, cause }: Settled): string {
  if (cause) return CAUSES[cause];
  return by.user_id === undefined ? 'by the server' : `by the user ${by.user_id}`;
}

const CAUSES: Readonly<Record<Cause, string>> = {
  timeout: 'because it was not answered in time',
  cancel: 'because its interaction was cancelled',
};
