import type { AssistantMessage } from '../protocol/message.js';

/** What a TURN_COMPLETED record hides from clients. */
export interface TurnJournal extends SizedTurn {
  readonly message: AssistantMessage;
  /** Whether the turn belongs to the agent's conversation. */
  readonly in_conversation: boolean;
}

/** What an ANSWER hides that no model turn wrote: a partial one, or a string that the agent returned. */
export interface AnswerJournal {
  readonly standalone: true;
}

/** What the NOTICE that ends a deferred call hides from clients. */
export interface DeferredJournal {
  /** The approval that it settles. */
  readonly deferred: string;
  /** Of the call. What was done inside it is over with it. */
  readonly key: string;
  /** What the agent reads, as a message of the user. */
  readonly note: string;
}

/** What a TURN_COMPLETED hides of its request's size. */
export interface SizedTurn {
  /** What the request was thought to have. */
  readonly estimated_tokens?: number;
}
