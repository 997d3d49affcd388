import type { ActiveStatus } from '../protocol/interaction.js';
import type { Message } from '../protocol/message.js';
import type { AnyViewer, Viewer } from './viewer.js';
import type { InteractionKey, InteractionRow } from './rows/interaction-row.js';
import type {
  IdempotencyKey,
  QueuedChange,
  QueuedOutcome,
  RetryInteraction,
  RetryOutcome,
  StartInteraction,
  StartOutcome,
  UsedKey,
} from './rows/start-rows.js';

export interface InteractionListPage {
  readonly chat_uid: string;
  readonly superseded: boolean;
  readonly limit: number;
  readonly before?: string;
  readonly bytes?: number;
}

export interface RunListPage {
  /** Limits the list to interactions of chats that this viewer sees. */
  readonly viewer: AnyViewer;
  readonly statuses: readonly ('QUEUED' | ActiveStatus)[];
  readonly chat_uid?: string;
  readonly limit: number;
  readonly bytes?: number;
  /** The last row of the previous page. */
  readonly after?: { readonly created_at: string; readonly id: string };
}

export interface FinalState {
  /** The messages of the chat (id null), then those that each interaction of the branch added. */
  readonly parts: readonly { readonly id: string | null; readonly messages: readonly Message[] }[];
  /** Size of the messages as JSON. */
  readonly bytes: number;
}

export function messagesOf({ parts }: Pick<FinalState, 'parts'>): Message[] {
  return parts.flatMap(({ messages }) => messages);
}

/** Port: interactions, their order in a chat, and the conversation before them. */
export abstract class InteractionStore {
  /**
   * Writes, in one transaction, the chat if it is new, the interaction (RUNNING; its parent is the
   * head of the chat, or the parent of the edited one), record 1 and the head, preview and, if it
   * has none, the title of the chat; an edit supersedes all interactions that are not on the new
   * branch; `adopts` join the chat. Checks first that the viewer sees the chat, then the
   * idempotency key, then the edited interaction, then for an active or queued interaction of the
   * chat, then the quota. Before the active one: that the chat is `sealed_for`.
   */
  abstract startInteraction(start: StartInteraction): Promise<StartOutcome>;
  /**
   * Makes, in one transaction, the head of a chat without an active or queued interaction, FAILED
   * with one of the codes, RUNNING again: unowned, in a new epoch, with its log and the record
   * `resumed`, without the data of its end and without losses. Requests that its end has closed are
   * open again. Undefined: there is no such interaction.
   */
  abstract retryInteraction(retry: RetryInteraction): Promise<RetryOutcome | undefined>;
  /**
   * The outcome of a start in the chat with this id whose idempotency key was used before;
   * undefined for a new key, or if the viewer sees no such chat.
   */
  abstract findUsedKey(
    chatId: string,
    key: IdempotencyKey,
    viewer: Viewer,
  ): Promise<UsedKey | undefined>;
  abstract findInteraction(id: string, viewer: AnyViewer): Promise<InteractionRow | undefined>;
  /** The interaction with this root agent, or whose log contains the start of the agent. */
  abstract findInteractionOfAgent(
    agentId: string,
    viewer: AnyViewer,
  ): Promise<InteractionRow | undefined>;
  /** The interaction that is RUNNING or waiting, or undefined. */
  abstract findActiveInteraction(chatUid: string): Promise<InteractionRow | undefined>;
  /** The active interaction, then the queued ones in order. */
  abstract listUnfinished(chatUid: string): Promise<InteractionRow[]>;
  /**
   * In each chat without an active interaction, the first queued one becomes RUNNING and the head,
   * unowned, with record 1 (`at`) and its parent: the previous head, or the parent of the
   * interaction it edits. Returns the ids of the promoted ones. `append` does the same in the
   * transaction that ends an interaction; this method repairs the state after a crash. Applies to
   * one chat, or to all, of which one call may leave some to the next.
   */
  abstract promoteQueued(at: string, chatUid?: string): Promise<string[]>;
  /**
   * Last first; `before` is the id of an interaction of the chat. Queued ones, then the active
   * branch from its head along the parents, which is the order in which they began; with
   * `superseded`, all of the chat in the order of their creation. With `bytes`, the page ends with
   * the row that makes its messages, metadata and settings larger than that.
   */
  abstract listInteractions(page: InteractionListPage): Promise<InteractionRow[]>;
  /**
   * The ids of interactions of the chat in the order in which they began, or ended in the queue, or
   * were retried: those after the given one, or all. A queued one is not among them.
   */
  abstract listBegun(chatUid: string, limit: number, after?: string): Promise<string[]>;
  /** The last of them. */
  abstract findLastBegun(
    chatUid: string,
  ): Promise<Pick<InteractionRow, 'id' | 'last_seq'> | undefined>;
  /**
   * Active and queued interactions, oldest first, by creation time, then id; `bytes` as in
   * `listInteractions`.
   */
  abstract listRuns(page: RunListPage): Promise<InteractionRow[]>;
  /** The ids alone, of as many as the limit says. */
  abstract listRunIds(page: Omit<RunListPage, 'bytes'>): Promise<string[]>;
  /**
   * The conversation before this interaction, oldest first: the messages of the chat, then those
   * that its ancestors added.
   */
  abstract getPreviousState(interactionId: string): Promise<Message[]>;
  /**
   * The conversation up to the end of an interaction, from that of its chat on; undefined if it has
   * not ended, or if the conversation has more than `bytes`.
   */
  abstract findFinalState(interactionId: string, bytes: number): Promise<FinalState | undefined>;
  /** True if `findFinalState` would find one; reads no messages. */
  abstract hasFinalState(interactionId: string, bytes: number): Promise<boolean>;
  /** The messages that each of these interactions added; those that have not ended are left out. */
  abstract findAddedMessages(interactionIds: readonly string[]): Promise<Map<string, Message[]>>;
  /**
   * Changes, in one transaction, the text or the place of a queued interaction that is not being
   * cancelled: it begins with the new text, or nothing was changed. Counts in `queue_changes`.
   */
  abstract changeQueued(interaction: InteractionKey, change: QueuedChange): Promise<QueuedOutcome>;
  /**
   * Requests the cancel of an interaction that has not ended, for a user, or else for the server
   * itself; the first request is kept. A queued interaction will never begin: unless it is an edit,
   * its parent is then the current head of the chat. Returns the current row.
   */
  abstract requestCancel(
    interaction: InteractionKey,
    reason: string,
    userId?: string,
  ): Promise<InteractionRow | undefined>;
}
