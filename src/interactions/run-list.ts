import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { ActiveStatus, InteractionStatus } from '../protocol/interaction.js';
import { ACTIVE_STATUSES } from '../protocol/records/fields.js';

/** Of interactions that run, wait for a person, or are queued. */
export const RUN_STATUSES = ['QUEUED', ...ACTIVE_STATUSES] as const;
export const CANCEL_OUTCOMES = ['cancelling', 'already_ended', 'not_found'] as const;

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

type ShownFields = 'id' | 'tenant_id' | 'chat_id' | 'status' | 'agent' | 'agent_id' | 'model';

/** An interaction as operators see it: without anything that was said. */
export interface ListedRun extends Pick<
  InteractionRow,
  ShownFields | 'started_by' | 'usage' | 'last_seq' | 'created_at'
> {
  /** A cancel was requested, and it has not ended yet. */
  readonly is_cancelling: boolean;
  /** `agent:<name>` or the like, which the server lacks; it is parked until that is there again. */
  readonly waits_for: string | null;
}

export interface RunPage {
  readonly items: readonly ListedRun[];
  readonly next_cursor: string | null;
}

/** Either the ids, or all of the tenant. */
export interface CancelRuns {
  readonly interaction_ids?: readonly string[];
  readonly all?: true;
  /** The caller's unless given; `*`: all. */
  readonly tenant_id?: string;
}

export interface CancelledRun {
  readonly interaction_id: string;
  /** Undefined if it was not found. */
  readonly tenant_id?: string;
  readonly outcome: (typeof CANCEL_OUTCOMES)[number];
  /** At that time; null: not found. */
  readonly status: InteractionStatus | null;
}

export interface CancelledRuns {
  /** In the order of the request. */
  readonly items: readonly CancelledRun[];
  /** `all` was too many for one request. */
  readonly has_more: boolean;
}
