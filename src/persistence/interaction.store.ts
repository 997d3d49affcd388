import type { Message } from '../protocol/message.js';
import type { InteractionRow, StartInteraction, StartOutcome } from './rows/store-rows.js';

/** Port: interactions, their order in a chat, and the conversation before them. */
export abstract class InteractionStore {
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
  /**
   * Marks an interaction that has not ended for cancelling; the first reason stays. One that is queued will not begin any more: unless it
   * is an edit, its parent is from then on what is the chat's head now. Answers the row as it is now.
   */
  abstract requestCancel(
    interactionId: string,
    reason: string,
  ): Promise<InteractionRow | undefined>;
}
