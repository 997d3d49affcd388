import type { Message } from '../protocol/message.js';
import type { InteractionRow } from './rows/interaction-row.js';
import type { StartInteraction, StartOutcome } from './rows/store-rows.js';

/** Port: interactions, their order in a chat, and the conversation before them. */
export abstract class InteractionStore {
  /**
   * One transaction: the chat if it is new, the interaction (RUNNING; its parent is the head of the
   * chat, or the parent of the edited one), record 1, the head of the chat; an edit supersedes all
   * that is off the new branch. Checks the idempotency key first, then the edited interaction, then
   * whether an interaction of the chat is active or queued.
   */
  abstract startInteraction(start: StartInteraction): Promise<StartOutcome>;
  abstract findInteraction(id: string): Promise<InteractionRow | undefined>;
  /** The interaction with this root agent, or whose log has the start of the agent. */
  abstract findInteractionOfAgent(agentId: string): Promise<InteractionRow | undefined>;
  /** RUNNING or waiting, or undefined. */
  abstract findActiveInteraction(chatId: string): Promise<InteractionRow | undefined>;
  /** The active one, then the queued ones in order. */
  abstract listUnfinished(chatId: string): Promise<InteractionRow[]>;
  /**
   * Where no interaction of a chat is active, the first queued one becomes RUNNING and the head,
   * unowned, with record 1 (`at`) and its parent: the previous head, or the parent of the
   * interaction it edits. Answers the promoted ones. `append` does the same in the transaction that
   * ends an interaction; this repairs what a crash left. One chat, or all.
   */
  abstract promoteQueued(at: string, chatId?: string): Promise<string[]>;
  /**
   * Last first; `before` is the id of an interaction of the chat. Queued ones, then the active
   * branch from its head along the parents, which is the order in which they began; with
   * `superseded` all of the chat, in the order of their creation.
   */
  abstract listInteractions(page: {
    chat_id: string;
    superseded: boolean;
    limit: number;
    before?: string;
  }): Promise<InteractionRow[]>;
  /** The conversation before this interaction: the messages its ancestors added, oldest first. */
  abstract getPreviousState(interactionId: string): Promise<Message[]>;
  /** The messages each of these added; interactions that have not ended are left out. */
  abstract findAddedMessages(interactionIds: readonly string[]): Promise<Map<string, Message[]>>;
  /**
   * Requests the cancel of an interaction that has not ended; the first reason stays. A queued one
   * will not begin any more: unless it is an edit, its parent is then the present head of the chat.
   * Answers the present row.
   */
  abstract requestCancel(
    interactionId: string,
    reason: string,
  ): Promise<InteractionRow | undefined>;
}
