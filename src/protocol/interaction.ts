import type { AttachedFile } from './file.js';
import type { z } from 'zod';
import type { ChatSettings } from './chat-settings.js';
import type { AgentEvent, EventError } from './events.js';
import type { Immutable } from './json.js';
import type { Message } from './message.js';
import { ACTIVE_STATUSES, FINAL_STATUSES } from './records/fields.js';
import type { VISIBILITIES, usage } from './records/fields.js';

/** Occupies the chat: at most one interaction per chat has one of these (I9). */
export type ActiveStatus = (typeof ACTIVE_STATUSES)[number];
export type FinalStatus = (typeof FINAL_STATUSES)[number];
export type InteractionStatus = 'QUEUED' | ActiveStatus | FinalStatus;

export const INTERACTION_STATUSES = ['QUEUED', ...ACTIVE_STATUSES, ...FINAL_STATUSES] as const;

/** True if the interaction waits for a person or a client. */
export function isWaiting(status: InteractionStatus): boolean {
  return status === 'WAITING_APPROVAL' || status === 'WAITING_INPUT';
}

export function isFinal(status: InteractionStatus): status is FinalStatus {
  return (FINAL_STATUSES as readonly string[]).includes(status);
}

/** Tokens and cost, summed over model turns. What no turn has is absent, not 0. */
export type Usage = Immutable<z.infer<typeof usage>>;

export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0 };

/** The sum, of tokens at most the largest number that is exact. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sumOf = (name: 'cached_tokens' | 'cache_write_tokens' | 'reasoning_tokens') => {
    const counts = [one[name], other[name]].filter((count) => count !== undefined);
    return counts.length > 0 && { [name]: addTokens(...counts) };
  };
  const costs = [one.cost_usd, other.cost_usd].filter((cost) => cost !== undefined);
  return {
    input_tokens: addTokens(one.input_tokens, other.input_tokens),
    output_tokens: addTokens(one.output_tokens, other.output_tokens),
    ...sumOf('cached_tokens'),
    ...sumOf('cache_write_tokens'),
    ...sumOf('reasoning_tokens'),
    ...(costs.length > 0 && { cost_usd: toDollars(costs.reduce((sum, cost) => sum + cost, 0)) }),
  };
}

/** Rounded to 1e-10 dollars, so that sums have no stray digits, and bounded as tokens are. */
export function toDollars(amount: number): number {
  return Number(Math.min(amount, Number.MAX_SAFE_INTEGER).toFixed(10));
}

export function addTokens(...counts: readonly number[]): number {
  return Math.min(
    counts.reduce((sum, count) => sum + count, 0),
    Number.MAX_SAFE_INTEGER,
  );
}

/** `private`: a chat for its owner and admins of the tenant; `tenant`: for all of the tenant. */
export type Visibility = (typeof VISIBILITIES)[number];

export type InteractionError = EventError;

/** One user message and the work that answers it. Times are ISO 8601 in UTC. */
export interface Interaction {
  readonly id: string;
  readonly chat_id: string;
  readonly parent_id: string | null;
  /** The interaction that this one edits. */
  readonly edited_from: string | null;
  readonly status: InteractionStatus;
  readonly user_message: string;
  /** That came with the message; they may be deleted since. */
  readonly files: readonly AttachedFile[];
  /** The text of the last ANSWER; null while there is none. */
  readonly answer: string | null;
  /** Why that answer ended; null while there is none, and of one that a cancel cut. */
  readonly finish_reason: 'stop' | 'length' | 'content_filter' | null;
  readonly agent: string;
  /** Its root agent. */
  readonly agent_id: string;
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
  /** The fields that this answer shortens because they are long; null if everything is in it. */
  readonly cut: InteractionCut | null;
}

/** Paths at which the rest is. */
export interface InteractionCut {
  /** The events after those in `agent_events`. */
  readonly agent_events?: string;
  /** The final state, which is null here although the interaction has ended. */
  readonly final_agent_state?: string;
}

export interface Chat {
  readonly id: string;
  readonly title: string | null;
  /** The beginning of the last message or answer of the active branch. */
  readonly preview: string | null;
  /** That of the settings. */
  readonly agent: string | null;
  readonly settings: ChatSettings;
  /** The id of the user who created it. */
  readonly owner: string;
  readonly visibility: Visibility;
  /** The conversation that it starts from. */
  readonly messages: readonly Message[];
  readonly interactions: readonly Interaction[];
  /** The value of `before` for the earlier interactions; null if there are none. */
  readonly next_before: string | null;
  /** Of all its interactions. */
  readonly usage: Usage;
  readonly head_interaction_id: string | null;
  /** The interaction that runs or waits for a person; null: none does. */
  readonly active_interaction_id: string | null;
  /** Of the active interaction, else QUEUED if any waits, else of the head; null: there is none. */
  readonly status: InteractionStatus | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A chat in a list: everything but its messages and interactions, and sums over these. */
export type ChatSummary = Omit<Chat, 'messages' | 'interactions' | 'next_before' | 'usage'>;
