import type { ActiveStatus } from '../../protocol/interaction.js';

/** A page of the active and queued interactions, the oldest first. */
export interface ListRuns {
  readonly limit: number;
  readonly cursor?: string;
  /** All of `RUN_STATUSES` unless given. */
  readonly status?: 'QUEUED' | ActiveStatus;
  readonly chat_id?: string;
  /** The caller's unless given; `*`: all. */
  readonly tenant_id?: string;
}

/** Either the ids, or all of the tenant. */
export interface CancelRuns {
  readonly interaction_ids?: readonly string[];
  readonly all?: true;
  /** The caller's unless given; `*`: all. */
  readonly tenant_id?: string;
}
