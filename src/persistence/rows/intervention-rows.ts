import type { InteractionRow } from './interaction-row.js';
import type { RedactedCounts } from '../../protocol/redacted.js';

/** A user's message to an agent, or action on it. */
export interface NewIntervention {
  readonly id: string;
  readonly interaction_id: string;
  readonly agent_id: string;
  /** `delete`, `modify`, or a note. */
  readonly user_comment: string;
  readonly user_content: string | null;
  /** Redactions in its texts; null: there are none. */
  readonly redacted: RedactedCounts | null;
  readonly created_at: string;
  /** The id of the user. */
  readonly created_by: string;
}

/** A saved intervention. The log shows if the agent has received it. */
export interface InterventionRow extends NewIntervention {
  /** The value of the interaction's `signals` after this intervention; defines the order. */
  readonly signal: number;
}

/**
 * In place of an agent's id: the signal is about the spoken answer. `played`: all of it was;
 * `heard`: it is interrupted, and `user_content` is a `HeardPart` as JSON.
 */
export const SPEECH = 'speech';

/** The part of an answer that was played. */
export interface HeardPart {
  /** The block that was being played. */
  readonly block_id: string;
  /** Length of the played part of its text, in UTF-16 code units. */
  readonly length: number;
  readonly heard_ms: number;
}

export type InterveneOutcome =
  | { readonly outcome: 'accepted'; readonly interaction: InteractionRow }
  /** The interaction does not exist. */
  | { readonly outcome: 'unknown' }
  /** The interaction has ended, or is to be cancelled. */
  | { readonly outcome: 'ended' }
  /** The interaction has the maximum number of interventions, `MAX_INTERVENTIONS`. */
  | { readonly outcome: 'too_many' };

/** Maximum number of interventions of one interaction. */
export const MAX_INTERVENTIONS = 200;
