import type { ChatStreamEvent, RecordEvent } from '../types.js';
import { change, put } from './conversation.js';
import type { Conversation, RequestState, SettlementState } from './conversation.js';

type Requests = Conversation['requests'];
/** Request on the streams of chats. */
type LiveRequest = Extract<ChatStreamEvent, { readonly type: 'REQUEST_OPENED' }>['request'];

const FIELDS = [
  ...(['tool_call_id', 'tool_name', 'tool_input', 'action', 'category', 'risk', 'reason'] as const),
  ...(['question', 'options'] as const),
];
const OF_SETTLEMENT = [
  ...(['by', 'at', 'cause', 'approved', 'reason', 'modified_input', 'answer'] as const),
];

/** The requests after a record, which tells more surely than what is live only. */
export function takeRecord(requests: Requests, record: RecordEvent): Requests {
  switch (record.type) {
    case 'APPROVAL_REQUIRED':
      return open(requests, { ...record, id: record.approval_id, kind: 'approval' });
    case 'INPUT_REQUIRED':
      return open(requests, { ...record, id: record.request_id, kind: 'input' });
    case 'TOOL_RESULT_REQUIRED':
      return open(requests, { ...record, id: record.request_id, kind: 'tool', expires_at: null });
    case 'APPROVED':
    case 'REJECTED': {
      const settlement = { ...record, approved: record.type === 'APPROVED' };
      return settle(requests, record.approval_id, settlement);
    }
    case 'INPUT_RECEIVED':
      return settle(requests, record.request_id, record);
    case 'TOOL_RESULT':
      return settleCall(requests, record.interaction_id, record.id);
    case 'INTERACTION_COMPLETE':
      return close(requests, record.interaction_id);
    default:
      return requests;
  }
}

/** With what the stream of the chat says about one; records that say otherwise come with it. */
export function takeLive(requests: Requests, request: LiveRequest): Requests {
  const known = requests.find(({ id }) => id === request.id);
  if (known && (known.status !== 'pending' || request.status === 'pending')) return requests;
  const { status, settlement: settled, settled_at } = request;
  const at = settled_at ? { at: settled_at } : {};
  const settlement = settled && settlementOf({ ...settled, ...at });
  return put(requests, { ...toState(request), status, settlement });
}

/** Without those of an interaction whose log was lost. */
export function dropOf(requests: Requests, interactionId: string): Requests {
  return requests.filter((it) => it.interaction_id !== interactionId);
}

/** The status of an interaction that runs, by what it waits for. */
export function waitingStatus(requests: Requests, interactionId: string) {
  const pending = requests.filter((it) => isPendingOf(it, interactionId));
  const kinds = pending.map(({ kind }) => kind);
  if (kinds.includes('approval')) return 'WAITING_APPROVAL';
  return kinds.length > 0 ? 'WAITING_INPUT' : 'RUNNING';
}

function open(requests: Requests, opened: Parameters<typeof toState>[0]): Requests {
  return put(requests, toState(opened));
}

function settle(requests: Requests, id: string, settled: SettlementState): Requests {
  return change(requests, id, { status: 'settled', settlement: settlementOf(settled) });
}

function settleCall(requests: Requests, interactionId: string, callId: string): Requests {
  const request = requests.findLast(
    (it) => it.kind === 'tool' && it.tool_call_id === callId && it.interaction_id === interactionId,
  );
  return change(requests, request?.id, { status: 'settled', settlement: null });
}

function close(requests: Requests, interactionId: string): Requests {
  if (!requests.some((it) => isPendingOf(it, interactionId))) return requests;
  return requests.map((it) => (isPendingOf(it, interactionId) ? { ...it, status: 'closed' } : it));
}

function isPendingOf({ status, interaction_id }: RequestState, interactionId: string): boolean {
  return status === 'pending' && interaction_id === interactionId;
}

function toState(
  request: Pick<RequestState, 'id' | 'kind' | 'interaction_id' | 'agent_id' | 'expires_at'>,
): RequestState {
  const { id, kind, interaction_id, agent_id, expires_at } = request;
  const own = { id, kind, interaction_id, agent_id, expires_at };
  return { ...own, status: 'pending', ...pick(request, FIELDS), settlement: null };
}

function settlementOf(settled: SettlementState): SettlementState {
  return pick(settled, OF_SETTLEMENT) as SettlementState;
}

function pick(from: object, names: readonly string[]): Partial<RequestState> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}
