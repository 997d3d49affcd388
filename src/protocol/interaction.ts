import type { z } from 'zod';
import type { AgentEvent, EventError } from './events.js';
import type { Immutable } from './json.js';
import type { Message } from './message.js';
import { FINAL_STATUSES } from './records/fields.js';
import type { usage } from './records/fields.js';

export const ACTIVE_STATUSES = ['RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT'] as const;

/** Occupies the chat: at most one interaction per chat has one of these (I9). */
export type ActiveStatus = (typeof ACTIVE_STATUSES)[number];
export type FinalStatus = (typeof FINAL_STATUSES)[number];
export type InteractionStatus = 'QUEUED' | ActiveStatus | FinalStatus;

/** True if the interaction waits for a person or a client. */
export function isWaiting(status: InteractionStatus): boolean {
  return status === 'WAITING_APPROVAL' || status === 'WAITING_INPUT';
}

export function isFinal(status: InteractionStatus): status is FinalStatus {
  return (FINAL_STATUSES as readonly string[]).includes(status);
}

/** Tokens, summed over all model turns of the interaction's agents. */
export type Usage = Immutable<z.infer<typeof usage>>;

export type InteractionError = EventError;

/** One user message and the work that answers it. Times are ISO 8601 in UTC. */
export interface Interaction {
  readonly id: string;
  readonly chat_id: string;
  readonly parent_id: string | null;
  readonly status: InteractionStatus;
  readonly user_message: string;
  readonly agent: string;
  readonly model: string;
  readonly agent_events: readonly AgentEvent[];
  /** The whole conversation after this interaction; null until it ended. */
  readonly final_agent_state: { readonly messages: readonly Message[] } | null;
  readonly usage: Usage;
  readonly error: InteractionError | null;
  readonly created_at: string;
  readonly completed_at: string | null;
  /** Set while the interaction is off the chat's active branch. */
  readonly superseded_at: string | null;
  readonly last_seq: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface Chat {
  readonly id: string;
  readonly title: string | null;
  readonly agent: string | null;
  readonly interactions: readonly Interaction[];
  readonly head_interaction_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A chat in a list: everything but its interactions. */
export type ChatSummary = Omit<Chat, 'interactions'>;
