import { Subject } from 'rxjs';
import { previewOfEnd } from '../../../persistence/chat-texts.js';
import type {
  AppendBatch,
  AppendOutcome,
  InteractionEnd,
} from '../../../persistence/rows/append-rows.js';
import { toGroupValues, toRequestValues, toValuesOfOne } from './append-parameters.js';
import {
  ANNOUNCE,
  APPEND_GROUP,
  APPEND_GROUP_ASKING,
  APPEND_ONE,
  APPEND_ONE_ASKING,
  STANDING,
  WAIT_BRIEFLY,
  WAIT_FOR_LOCK,
} from './append-statements.js';
import { LOCK_CHAT_OF, LOCK_CHATS_OF, NOTE_END } from '../interactions/chat-statements.js';
import type { Database } from '../connection/database.js';
import { StoreRefused } from '../../../persistence/store-refused.error.js';
import { FIND_PROMOTED, LEAVE_CHAT } from '../interactions/promote.js';
import type { Row, Step } from '../connection/database.js';
import { isAway, isLockTimeout, toStoreError } from '../connection/store-error.js';

type Ended = Pick<AppendBatch, 'interaction_id'> & { readonly end: InteractionEnd };

interface Standing {
  readonly epoch: number;
  readonly last_seq: number;
  readonly present: number;
  readonly own: number;
}

/**
 * Appends to logs: one statement for a whole group, then one for each batch that the group skipped.
 */
export class AppendQueries {
  readonly #limitMs: number | undefined;
  /** Ids of interactions that an append has promoted, after the commit. */
  readonly promoted = new Subject<string>();

  constructor(private readonly db: Database) {
    this.#limitMs = db.limits?.appendMs;
  }

  async append(batches: readonly AppendBatch[]): Promise<AppendOutcome[]> {
    const written = await this.#appendTogether(batches);
    const rest = batches.filter((batch) => !written.has(batch));
    const outcomes = await Promise.allSettled(rest.map((batch) => this.#appendAlone(batch)));
    const settled = new Map(rest.map((batch, index) => [batch, outcomes[index]!]));
    return batches.map((batch) => {
      const outcome = settled.get(batch);
      return outcome?.status === 'rejected'
        ? refusal(outcome.reason)
        : (outcome?.value ?? 'written');
    });
  }

  /**
   * Returns the batches that were written. The others are fenced off, locked, already in the log,
   * or failed with the group.
   */
  async #appendTogether(batches: readonly AppendBatch[]): Promise<Set<AppendBatch>> {
    try {
      const rows = await this.#send(batches);
      return new Set(rows.map(({ number }) => batches[number - 1]!));
    } catch (error) {
      if (isAway(error) && !isLockTimeout(error)) throw error;
      return new Set();
    }
  }

  /** In one round trip: a statement, or a transaction if it ends or announces something. */
  async #send(batches: readonly AppendBatch[]): Promise<{ number: number }[]> {
    if (batches.length === 0) return [];
    const append = toStep(batches);
    const ended = batches.flatMap((each) => (each.end ? [{ ...each, end: each.end }] : []));
    const announcements = announce(batches);
    if (ended.length === 0 && announcements.length === 0)
      return this.db.query(...append, this.#limitMs);
    const locks = batches.length === 1 ? ended.map(lockChatOf) : lockChatsOf(ended);
    const leave = ended.flatMap(leaveChat);
    const steps = [...locks, append, ...announcements, ...leave];
    const results = await this.db.batch<{ number: number }>(steps, this.#limitMs);
    if (ended.length > 0) this.#notePromoted(results.slice(-leave.length));
    return results[locks.length]!;
  }

  async #appendAlone(batch: AppendBatch): Promise<AppendOutcome> {
    const { interaction_id, epoch, records, end } = batch;
    const [first, last] = [records[0]?.seq ?? 0, records.at(-1)?.seq ?? 0];
    const locks: Step[] = [[WAIT_FOR_LOCK, []], ...(end ? [lockChatOf(batch)] : [])];
    const leave: Step[] = end
      ? [...leaveChat({ interaction_id, end }), [FIND_PROMOTED, [interaction_id]]]
      : [];
    const steps: Step[] = [
      ...locks,
      toStep([batch]),
      STANDING({ id: interaction_id, epoch, first, last }),
      ...announce([batch]),
      ...leave,
    ];
    const results = await this.db.batch(steps, this.#limitMs);
    const [written, standings] = results.slice(locks.length);
    if (end) this.#notePromoted(results.slice(-1));
    if (written?.length) return 'written';
    return this.#judge(batch, standings?.[0] as Standing | undefined);
  }

  #notePromoted(results: readonly Row[][]): void {
    for (const { id } of results.flat()) this.promoted.next(id as string);
  }

  /**
   * An append that the fence refused is completely in the log (its commit was in doubt), partly in
   * the log, or belongs to the log of another run.
   */
  async #judge(batch: AppendBatch, standing: Standing | undefined): Promise<AppendOutcome> {
    const { epoch, records } = batch;
    if (!standing || standing.own < standing.present || standing.own === 0) return 'fenced';
    if (standing.own === records.length) return 'written';
    if (standing.epoch !== epoch) return 'fenced';
    const rest = records.filter((record) => record.seq > standing.last_seq);
    return rest.length < records.length && rest.length > 0
      ? this.#appendAlone({ ...batch, records: rest })
      : 'fenced';
  }
}

/** @throws AppError `store_unavailable` */
function refusal(reason: unknown): StoreRefused {
  const error = toStoreError(reason);
  const refused = StoreRefused.from(error);
  if (!refused) throw error;
  return refused;
}

function toStep(batches: readonly AppendBatch[]): Step {
  const asks = batches.some(({ requests = [] }) => requests.length > 0);
  const [only, ...others] = batches;
  if (only && others.length === 0) {
    const values = toValuesOfOne(only);
    if (!asks) return APPEND_ONE(values);
    return APPEND_ONE_ASKING({ ...values, ...toRequestValues(batches) });
  }
  const values = toGroupValues(batches);
  if (!asks) return APPEND_GROUP(values);
  return APPEND_GROUP_ASKING({ ...values, ...toRequestValues(batches) });
}

function lockChatOf({ interaction_id }: Pick<AppendBatch, 'interaction_id'>): Step {
  return [LOCK_CHAT_OF, [interaction_id]];
}

function lockChatsOf(ended: readonly Ended[]): Step[] {
  if (ended.length === 0) return [];
  return [
    [WAIT_BRIEFLY, []],
    [LOCK_CHATS_OF, [ended.map(({ interaction_id }) => interaction_id)]],
  ];
}

/** The entries of the outbox; no step if there are none. */
function announce(batches: readonly AppendBatch[]): Step[] {
  const announced = batches.filter((batch) => batch.announce);
  const requests = announced.flatMap((batch) => batch.requests?.map(({ id }) => id) ?? []);
  const ended = announced.flatMap(({ interaction_id: id, records, end }) =>
    end ? [{ id, seq: records.at(-1)?.seq }] : [],
  );
  if (requests.length === 0 && ended.length === 0) return [];
  const [ids, seqs] = [ended.map(({ id }) => id), ended.map(({ seq }) => seq)];
  return [ANNOUNCE({ requests, ended: ids, seqs })];
}

/** Steps for an interaction that ends. Their rows are the ids of those that it promotes. */
function leaveChat({ interaction_id: id, end }: Ended): Step[] {
  return [
    [NOTE_END, [id, end.completed_at, previewOfEnd(end.added_messages)]],
    [LEAVE_CHAT, [id]],
  ];
}
