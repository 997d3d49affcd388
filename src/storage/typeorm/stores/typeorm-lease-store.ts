import { LeaseStore } from '../../../persistence/lease.store.js';
import type {
  Lease,
  LeaseState,
  LeaseTerms,
  ParkedLease,
  Unowned,
} from '../../../persistence/rows/lease-rows.js';
import type { Database, Statement } from '../connection/database.js';
import { named } from '../named-statement.js';
import {
  INTERACTION_COLUMNS,
  IS_ACTIVE,
  IS_QUEUED,
  toInteractionRow,
} from '../interactions/interaction-row.js';
import type { ColumnsOfInteraction } from '../interactions/interaction-row.js';

/**
 * The clock of the database, read after the row was locked: waiting for the lock costs no lease
 * time.
 */
const UNTIL = `clock_timestamp() + :ttl_ms::integer * interval '1 millisecond'`;

/** For the table `i`. */
const IS_FREE = '(i.owner IS NULL OR i.lease_until < clock_timestamp())';

/**
 * False while it is parked without a new signal. The literal predicate of the index
 * `interactions_wanting_a_run`.
 */
const WANTS_A_RUN = `(${IS_ACTIVE} AND (parked_signals IS NULL OR parked_signals <> signals)
  OR ${IS_QUEUED} AND cancel_reason IS NOT NULL)`;

/** `countLosses` of `interaction-rules.ts`, for the table `i`; `isLost`: the last run was lost. */
const countLosses = (isLost: string): string =>
  `CASE WHEN i.progressed THEN 0 ELSE i.losses + (${isLost})::integer END`;
const countAloneLosses = (isLost: string): string =>
  `CASE WHEN i.progressed THEN 0 ELSE i.alone_losses + (i.trial = 1 AND ${isLost})::integer END`;

const HAS_OWNER = 'i.owner IS NOT NULL';
const HAS_LOST_OWNER = `${HAS_OWNER} AND NOT (:never_begun::boolean AND i.owner = :owner)`;

const ACQUIRE = named({
  name: 'leases.acquire',
  parameters: 'id, owner, ttl_ms, never_begun, trial',
  text: `
    WITH free AS MATERIALIZED (
      SELECT i.id, i.owner, i.parked_signals IS NOT NULL AS parked FROM interactions i
      WHERE i.id = :id AND ${WANTS_A_RUN} AND ${IS_FREE} FOR UPDATE
    )
    UPDATE interactions i SET epoch = i.epoch + 1, owner = :owner, lease_until = ${UNTIL}, parked_signals = NULL, waits_for = NULL,
      losses = ${countLosses(HAS_LOST_OWNER)}, alone_losses = ${countAloneLosses(HAS_LOST_OWNER)}, trial = :trial, progressed = false
    FROM free WHERE i.id = free.id
    RETURNING ${INTERACTION_COLUMNS}, free.owner AS lost_owner, free.parked, i.losses, i.alone_losses`,
});

/** Locks rows in the order of ids, so that two renewals cannot deadlock. */
const RENEW = named({
  parameters: 'ids, epochs, owner, ttl_ms',
  text: `
    WITH held AS MATERIALIZED (
      SELECT i.id FROM unnest(:ids::text[], :epochs::integer[]) AS h (id, epoch) JOIN interactions i ON i.id = h.id
      WHERE i.epoch = h.epoch AND i.owner = :owner ORDER BY i.id FOR UPDATE OF i
    )
    UPDATE interactions i SET lease_until = ${UNTIL} FROM held WHERE i.id = held.id
    RETURNING i.id AS interaction_id, i.last_seq, i.signals, i.cancel_reason, i.cancelled_by`,
});

/** A run parked in any other status would never be woken, unless a requirement wakes it. */
const IS_WAITING = "status IN ('WAITING_APPROVAL', 'WAITING_INPUT')";

const LEAVE_TRIAL: Statement = {
  text: 'UPDATE interactions SET trial = 0 WHERE id = $1 AND epoch = $2 AND owner IS NOT NULL',
};

const RELEASE: Statement = {
  name: 'leases.release',
  text: 'UPDATE interactions SET owner = NULL, lease_until = NULL WHERE id = $1 AND epoch = $2 AND owner IS NOT NULL',
};

const PARK = named({
  name: 'leases.park',
  parameters: 'id, epoch, signals, waits_for, status',
  text: `UPDATE interactions SET owner = NULL, lease_until = NULL, parked_signals = signals, waits_for = :waits_for, status = coalesce(:status, status)
    WHERE id = :id AND epoch = :epoch AND owner IS NOT NULL AND signals = :signals AND (${IS_WAITING} OR :waits_for::text IS NOT NULL) AND cancel_reason IS NULL RETURNING id`,
});

const IS_PARKED_FOR = `waits_for IS NOT NULL AND parked_signals = signals AND ${IS_ACTIVE}`;

const LIST_AWAITED: Statement = {
  text: `SELECT DISTINCT waits_for COLLATE "C" AS waits_for FROM interactions
    WHERE ${IS_PARKED_FOR} AND waits_for COLLATE "C" > $2 ORDER BY 1 LIMIT $1`,
};

/** Locks rows in the order of ids, as a renewal does. */
const WAKE_PARKED: Statement = {
  text: `
    WITH woken AS MATERIALIZED (
      SELECT id FROM interactions WHERE ${IS_PARKED_FOR} AND waits_for = $1 ORDER BY id LIMIT $2 FOR UPDATE
    )
    UPDATE interactions i SET signals = i.signals + 1 FROM woken WHERE i.id = woken.id RETURNING i.id`,
};

const LIST_UNOWNED: Statement = {
  text: `SELECT i.id, ${HAS_OWNER} AS is_lost, ${countLosses(HAS_OWNER)} AS losses, ${countAloneLosses(HAS_OWNER)} AS alone_losses,
      CASE WHEN i.progressed THEN 0 ELSE i.trial END AS trial
    FROM interactions i WHERE ${WANTS_A_RUN} AND ${IS_FREE} ORDER BY i.created_at, i.id LIMIT $1`,
};

interface ColumnsOfLease extends ColumnsOfInteraction {
  readonly lost_owner: string | null;
  readonly parked: boolean;
  readonly losses: number;
  readonly alone_losses: number;
}

export class TypeOrmLeaseStore extends LeaseStore {
  constructor(private readonly db: Database) {
    super();
  }

  async acquireLease(interactionId: string, terms: LeaseTerms): Promise<Lease | undefined> {
    const { owner, ttl_ms, never_begun = false, trial = 0 } = terms;
    const acquire = ACQUIRE({ id: interactionId, owner, ttl_ms, never_begun, trial });
    const [row] = await this.db.query<ColumnsOfLease>(...acquire);
    if (!row) return undefined;
    const { lost_owner, parked, losses, alone_losses } = row;
    return { interaction: toInteractionRow(row), lost_owner, parked, losses, alone_losses };
  }

  async renewLeases(
    held: readonly { interaction_id: string; epoch: number }[],
    { owner, ttl_ms }: LeaseTerms,
  ): Promise<LeaseState[]> {
    if (held.length === 0) return [];
    const ids = held.map(({ interaction_id }) => interaction_id);
    const epochs = held.map(({ epoch }) => epoch);
    return this.db.query<LeaseState>(...RENEW({ ids, epochs, owner, ttl_ms }));
  }

  async leaveTrial(interactionId: string, epoch: number): Promise<void> {
    await this.db.query(LEAVE_TRIAL, [interactionId, epoch]);
  }

  async releaseLease(interactionId: string, epoch: number): Promise<void> {
    await this.db.query(RELEASE, [interactionId, epoch]);
  }

  async park({ interaction_id: id, epoch, signals, missing }: ParkedLease): Promise<boolean> {
    const { waits_for = null, status = null } = missing ?? {};
    return (await this.db.query(...PARK({ id, epoch, signals, waits_for, status }))).length > 0;
  }

  async listAwaited(limit: number, after = ''): Promise<string[]> {
    const rows = await this.db.query<{ waits_for: string }>(LIST_AWAITED, [limit, after]);
    return rows.map(({ waits_for }) => waits_for);
  }

  async wakeParked(waitsFor: string, limit: number): Promise<string[]> {
    const rows = await this.db.query<{ id: string }>(WAKE_PARKED, [waitsFor, limit]);
    return rows.map(({ id }) => id);
  }

  listUnowned(limit: number): Promise<Unowned[]> {
    return this.db.query<Unowned>(LIST_UNOWNED, [limit]);
  }
}

/**
 * Expires every lease. For a process that has just opened a database that no other process can use:
 * the owners are dead, and their interactions resume at once.
 */
export async function expireLeases(database: Database): Promise<void> {
  const text = `UPDATE interactions SET lease_until = clock_timestamp() WHERE owner IS NOT NULL AND ${IS_ACTIVE}`;
  await database.query({ text }, []);
}
