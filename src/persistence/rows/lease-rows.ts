import type { AppError } from '../../kernel/app-error.js';
import type { ActiveStatus } from '../../protocol/interaction.js';
import type { InteractionRow } from './interaction-row.js';

export interface LeaseTerms {
  readonly owner: string;
  readonly ttl_ms: number;
  /**
   * The owner may already hold the lease, from an attempt whose result it never received. In that
   * case no run was lost.
   */
  readonly never_begun?: boolean;
  /** Number of suspects that the process runs together, this one included; 0: it is no suspect. */
  readonly trial?: number;
}

/** An acquired lease: the current row, with `epoch` already incremented. */
export interface Lease {
  readonly interaction: InteractionRow;
  /**
   * The owner that lost the lease, if the previous run neither ended nor released it; null
   * otherwise.
   */
  readonly lost_owner: string | null;
  /** The previous run was parked, so it left no unfinished work. */
  readonly parked: boolean;
  /** Number of consecutive lost runs without progress, the previous one included. */
  readonly losses: number;
  /** Number of them with `trial` 1; those with a larger one neither count nor reset it. */
  readonly alone_losses: number;
  /** The texts of the interaction can't be read, and are not here: it has to be given up. */
  readonly fault?: AppError;
}

export interface ParkedLease {
  readonly interaction_id: string;
  readonly epoch: number;
  readonly signals: number;
  /** The server lacks a requirement, and the status is this one; else it waits for people. */
  readonly missing?: { readonly waits_for: string; readonly status: ActiveStatus } | undefined;
}

/** An interaction that should run and has no owner. */
export interface Unowned {
  readonly id: string;
  /** Its last run neither ended nor released the lease. */
  readonly is_lost: boolean;
  /** The values in its next `Lease`. */
  readonly losses: number;
  readonly alone_losses: number;
  /** `LeaseTerms.trial` of its last run; 0 also if this has left the group or has progressed. */
  readonly trial: number;
}

export interface LeaseState {
  readonly interaction_id: string;
  readonly last_seq: number;
  readonly signals: number;
  readonly cancel_reason: string | null;
  readonly cancelled_by: string | null;
}
