import type { InteractionRow } from './interaction-row.js';

/** What a person tells an agent, or does to it. */
export interface NewIntervention {
  readonly id: string;
  readonly interaction_id: string;
  readonly agent_id: string;
  /** `delete`, `modify`, or a note. */
  readonly user_comment: string;
  readonly user_content: string | null;
  readonly created_at: string;
}

/** Whether it was taken in is in the log. */
export interface InterventionRow extends NewIntervention {
  /** What it counted the interaction's `signals` up to: their order. */
  readonly signal: number;
}

export type InterveneOutcome =
  | { readonly outcome: 'accepted'; readonly interaction: InteractionRow }
  /** There is no such interaction. */
  | { readonly outcome: 'unknown' }
  /** It has ended, or is to be cancelled. */
  | { readonly outcome: 'ended' }
  /** As many were accepted in this interaction as may: `MAX_INTERVENTIONS`. */
  | { readonly outcome: 'too_many' };

/** How many interventions one interaction takes. */
export const MAX_INTERVENTIONS = 200;
