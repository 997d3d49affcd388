import type { InteractionError, InteractionStatus, Usage } from '../../protocol/interaction.js';

/** All that changes over an interaction's life. The last commit line of its log holds it whole. */
export interface LogState {
  readonly last_seq: number;
  readonly status: InteractionStatus;
  readonly epoch: number;
  /** `last_seq` when this epoch began: what comes up to here, other runs have written. */
  readonly epoch_after: number;
  /** Who holds the lease, or held it when the process died. */
  readonly owner: string | null;
  /** How many runs in a row were lost that had written nothing, as this epoch began. */
  readonly losses: number;
  /** What is not beyond this seq is no progress of this epoch: it was there, or is its `RESUMED`. */
  readonly taken_seq: number;
  readonly signals: number;
  /** What `signals` was when the run parked; null while it isn't parked. */
  readonly parked_signals: number | null;
  readonly cancel_reason: string | null;
  /** null while it waits in the queue, unless it is an edit; once it is to be cancelled there, what was its chat's head then. */
  readonly parent_id: string | null;
  /** The lowest of a chat is next. null once the interaction has begun, so it stays with one that ended in the queue. */
  readonly queue_rank: number | null;
  /** Numbers what changed the branches of its chat, that is beginnings and ends in the queue, 1, 2, 3…; null before. */
  readonly turn: number | null;
  /** How many interventions it has taken. */
  readonly interventions: number;
  /** Whether child agents have been started. */
  readonly has_children: boolean;
  /** Counts what happened to its requests: a requests.json that counts otherwise is behind. */
  readonly request_changes: number;
  readonly usage: Usage;
  readonly error: InteractionError | null;
  readonly completed_at: string | null;
}
