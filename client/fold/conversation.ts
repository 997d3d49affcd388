import type {
  ChatStreamEvent,
  Decider,
  InteractionStatus,
  RecordEvent,
  RecordOf,
  Task,
  Usage,
} from '../types.js';

type EventOf<T extends ChatStreamEvent['type']> = Extract<ChatStreamEvent, { readonly type: T }>;

/** A conversation as a reader knows it. Plain data: it can be kept as JSON. */
export interface Conversation {
  /** State of the chat on the stream of the chat; null on the stream of one interaction. */
  readonly chat: EventOf<'CHAT_STATE'>['chat'] | null;
  /** The end of the branch to show: an interaction that has begun. */
  readonly head: string | null;
  /** Interactions that wait for the chat, in the order of the queue. */
  readonly queued: readonly string[];
  /** Interactions of all branches that have begun, by id. */
  readonly interactions: Readonly<Record<string, InteractionState>>;
  /** Approvals, questions and calls for the client, open and settled, in the order they came. */
  readonly requests: readonly RequestState[];
  readonly tasks: readonly Task[];
  /** Files that were added since the reader came. */
  readonly files: readonly EventOf<'FILE_ADDED'>['file'][];
}

export interface InteractionState {
  readonly id: string;
  /** Its first record; null for a reader that came later. */
  readonly started: RecordOf<'INTERACTION_STARTED'> | null;
  readonly status: InteractionStatus;
  /** `seq` of the last record; the log up to here is in `records`. */
  readonly seq: number;
  /** The durable events, in order. */
  readonly records: readonly RecordEvent[];
  /** The blocks of text that are being written, by `block_id`. */
  readonly open: Readonly<Record<string, OpenBlock>>;
  /** In the order of the log. */
  readonly calls: readonly ToolCall[];
  /** The tree of agents, in the order they began: the root is the first. */
  readonly agents: readonly AgentNode[];
  /** The text of the last ANSWER. */
  readonly answer: string | null;
  readonly usage: Usage;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface OpenBlock {
  readonly type: 'TEXT_DELTA' | 'THINKING_DELTA' | 'TOOL_INPUT_DELTA' | 'TOOL_OUTPUT_DELTA';
  readonly agent_id: string;
  /** Call whose arguments or output the text is; else null. */
  readonly tool_call_id: string | null;
  readonly text: string;
}

export interface ToolCall {
  readonly id: string;
  readonly call: RecordOf<'TOOL_CALL'>;
  /** Its side effect has begun. */
  readonly has_started: boolean;
  /** The approval, the question or the call for the client that it waits or has waited for. */
  readonly request_id: string | null;
  readonly result: RecordOf<'TOOL_RESULT'> | null;
}

export interface AgentNode {
  readonly id: string;
  readonly type: string;
  /** null: the root. */
  readonly parent_agent_id: string | null;
  readonly prompt: string;
  /** The call that has started it. */
  readonly tool_call_id: string | null;
  readonly status: 'running' | 'completed' | 'error' | 'cancelled';
  /** Answer of a child that has ended, or the reason why it has none. */
  readonly result: string | null;
  /** Its live state, on the stream of a chat only; null: it has ended, or that is not known. */
  readonly now: EventOf<'AGENT_STATE'> | null;
}

export interface RequestState {
  /** The `approval_id` or `request_id`. */
  readonly id: string;
  readonly kind: 'approval' | 'input' | 'tool';
  /** `closed`: its interaction ended first. */
  readonly status: 'pending' | 'settled' | 'closed';
  readonly interaction_id: string;
  readonly agent_id: string;
  readonly expires_at: string | null;
  readonly tool_call_id?: string;
  readonly tool_name?: string;
  /** JSON text as the model wrote it. */
  readonly tool_input?: string;
  /** Set for an approval. */
  readonly action?: string;
  readonly category?: string;
  readonly risk?: string;
  readonly reason?: string;
  /** Set for a question. */
  readonly question?: string;
  readonly options?: readonly string[];
  /** null: it is pending or closed, or the result of a call for the client has settled it. */
  readonly settlement: SettlementState | null;
}

export interface SettlementState {
  readonly by: Decider;
  /** ISO 8601. */
  readonly at?: string;
  readonly cause?: 'timeout' | 'cancel';
  /** Set for an approval. */
  readonly approved?: boolean;
  readonly reason?: string;
  readonly modified_input?: Readonly<Record<string, unknown>>;
  /** Set for a question; null: declined, or too late. */
  readonly answer?: string | null;
}

export const EMPTY: Conversation = {
  chat: null,
  head: null,
  queued: [],
  interactions: {},
  requests: [],
  tasks: [],
  files: [],
};

/** Keys come from models and servers: what objects inherit is none of them. */
export function find<T>(entries: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(entries, key) ? entries[key] : undefined;
}

/** With an entry in the place of the one with its id, or else at the end. */
export function put<T extends { readonly id: string }>(
  entries: readonly T[],
  entry: T,
): readonly T[] {
  const at = entries.findLastIndex(({ id }) => id === entry.id);
  return at < 0 ? [...entries, entry] : entries.with(at, entry);
}

/** With what has changed of an entry, if it is known: a reader that came later has not seen all. */
export function change<T extends { readonly id: string }>(
  entries: readonly T[],
  entryId: string | undefined,
  changed: Partial<T>,
): readonly T[] {
  const at = entries.findLastIndex(({ id }) => id === entryId);
  return at < 0 ? entries : entries.with(at, { ...entries[at]!, ...changed });
}
