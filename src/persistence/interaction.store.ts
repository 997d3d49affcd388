import type { RecordType } from '../protocol/events.js';
import type { Message } from '../protocol/message.js';
import type {
  InterveneOutcome,
  InterventionRow,
  NewIntervention,
} from './rows/intervention-rows.js';
import type { LogRecord } from './rows/log-record.js';
import type { RequestPage, RequestRow, SettleOutcome, SettleRequest } from './rows/request-rows.js';
import type {
  AppendBatch,
  AppendOutcome,
  ChatPatch,
  ChatRow,
  InteractionRow,
  Lease,
  LeaseState,
  LeaseTerms,
  NewChat,
  StartInteraction,
  StartOutcome,
  Unowned,
} from './rows/store-rows.js';

/**
 * Port: saved state. `find` may answer undefined, `list` pages. Rejections mean that the store is away or broken
 * (retry later), never an expected outcome.
 */
export abstract class InteractionStore {
  /** Answers false, and changes nothing, when the id is taken. */
  abstract createChat(chat: NewChat): Promise<boolean>;
  abstract findChat(id: string): Promise<ChatRow | undefined>;
  /** Newest first, by creation then id; `before` is the last row of the page before. */
  abstract listChats(page: {
    limit: number;
    before?: { created_at: string; id: string };
  }): Promise<ChatRow[]>;
  abstract updateChat(id: string, patch: ChatPatch): Promise<ChatRow | undefined>;
  /** Everything of the chat goes, unless an interaction of it is active or queued. */
  abstract deleteChat(id: string): Promise<'deleted' | 'unknown' | 'busy'>;

  /**
   * Makes an interaction the chat's head: its branch becomes the active one, everything else superseded as of `at`.
   * `unknown` is also what has never begun; `busy` while one is active or queued.
   */
  abstract switchHead(
    chatId: string,
    interactionId: string,
    at: string,
  ): Promise<'switched' | 'unknown' | 'busy'>;

  /**
   * One transaction: the chat if it is new, the interaction (RUNNING, its parent is the chat's head, or that of the edited one), record 1,
   * the chat's head; an edit supersedes what is off the new branch. The idempotency key is looked at first, the edited
   * interaction next, then whether the chat is busy: an interaction is active or queued.
   */
  abstract startInteraction(start: StartInteraction): Promise<StartOutcome>;
  abstract findInteraction(id: string): Promise<InteractionRow | undefined>;
  /** The one whose root the agent is, or whose log has its start. */
  abstract findInteractionOfAgent(agentId: string): Promise<InteractionRow | undefined>;
  /** RUNNING or waiting, or undefined. */
  abstract findActiveInteraction(chatId: string): Promise<InteractionRow | undefined>;
  /** The active one, then those that are queued, in order. */
  abstract listUnfinished(chatId: string): Promise<InteractionRow[]>;
  /**
   * Where no interaction of a chat is active, the first queued one becomes RUNNING and the chat's head, unowned, with record 1 (`at`)
   * and its parent: the head before it, or that of the interaction that it edits. Answers those that were promoted. `append` does the
   * same in the transaction that ends an interaction; this finds what a crash has left. One chat, or all.
   */
  abstract promoteQueued(at: string, chatId?: string): Promise<string[]>;
  /**
   * Last first; `before` is the id of an interaction of the chat. What is queued, then the active branch along the parents from its head,
   * which is the order in which they began; with `superseded` all of the chat, in the order in which they were asked for.
   */
  abstract listInteractions(page: {
    chat_id: string;
    superseded: boolean;
    limit: number;
    before?: string;
  }): Promise<InteractionRow[]>;
  /** The conversation before this interaction: what its ancestors added, oldest first. */
  abstract getPreviousState(interactionId: string): Promise<Message[]>;
  /** What each of these added; ids that have not ended are left out. */
  abstract findAddedMessages(interactionIds: readonly string[]): Promise<Map<string, Message[]>>;

  /** One commit for all; answers in the order of `batches`. At most one batch per interaction. */
  abstract append(batches: readonly AppendBatch[]): Promise<AppendOutcome[]>;
  /** In order of seq. */
  abstract readRecords(
    interactionId: string,
    page: { after: number; limit: number },
  ): Promise<LogRecord[]>;
  /** In order of interaction, then seq. */
  abstract readRecordsOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
  ): Promise<LogRecord[]>;
  /** `last_seq` of each that exists; one query however many are asked for. */
  abstract readLastSeqs(interactionIds: readonly string[]): Promise<Map<string, number>>;

  /** Takes the lease of an active interaction, or of a queued one that is to be cancelled, if it is free or has expired, by the store's clock, and counts its epoch up. */
  abstract acquireLease(interactionId: string, terms: LeaseTerms): Promise<Lease | undefined>;
  /** Renews those still held; what is not in the answer is lost. */
  abstract renewLeases(
    held: readonly { interaction_id: string; epoch: number }[],
    terms: LeaseTerms,
  ): Promise<LeaseState[]>;
  /** Lets go of a lease without ending the interaction. */
  abstract releaseLease(interactionId: string, epoch: number): Promise<void>;
  /**
   * Lets go of a lease to wait for a person, if the status says that one is waited for and nothing has been signalled since `signals`.
   * False: look again. The interaction stays unowned until a decision, a cancel or an intervention counts `signals` up.
   */
  abstract park(lease: {
    interaction_id: string;
    epoch: number;
    signals: number;
  }): Promise<boolean>;
  /**
   * Interactions that should run and that nobody holds: active ones never leased, let go of, or lapsed, but parked ones only when
   * something was signalled since; queued ones that are to be cancelled. Oldest first.
   */
  abstract listUnowned(limit: number): Promise<Unowned[]>;

  /**
   * Settles a pending request, once, whoever comes first (I5), and counts its interaction's `signals` up. One of an interaction that is to be
   * cancelled is closed already: `settled_before`.
   */
  abstract settleRequest(settle: SettleRequest): Promise<SettleOutcome>;
  abstract findRequest(id: string): Promise<RequestRow | undefined>;
  /** Oldest first, by creation then id. */
  abstract listRequests(page: RequestPage): Promise<RequestRow[]>;
  /** Pending ones whose time is over at `at`. */
  abstract listExpiredRequests(at: string, limit: number): Promise<RequestRow[]>;

  /**
   * Marks an interaction that has not ended for cancelling; the first reason stays. One that is queued will not begin any more: unless it
   * is an edit, its parent is from then on what is the chat's head now. Answers the row as it is now.
   */
  abstract requestCancel(
    interactionId: string,
    reason: string,
  ): Promise<InteractionRow | undefined>;

  /** Keeps what a person tells an agent of an interaction that goes on, and counts its `signals` up. */
  abstract intervene(wanted: NewIntervention): Promise<InterveneOutcome>;
  /** Of one interaction, in the order in which they were accepted; never more than `MAX_INTERVENTIONS`. */
  abstract listInterventions(interactionId: string): Promise<InterventionRow[]>;

  /** Rejects when the store can't serve. */
  abstract ping(): Promise<void>;
}
