import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.js';
import { AppError } from '../../kernel/app-error.js';
import { logFields, outsideRuns, withLogFields } from '../../logging/log-fields.js';
import type { LogFields } from '../../logging/log-fields.js';
import { StoreRefused } from '../../persistence/store-refused.error.js';
import type { RecordStore } from '../../persistence/record.store.js';
import type { Spill } from '../spill/spill.js';
import type { AppendBatch, AppendOutcome } from '../../persistence/rows/append-rows.js';
import type { StoreHealth } from '../store-health.js';
import type { Telemetry } from '../../telemetry/telemetry.js';

interface Waiter {
  resolve(outcome: AppendOutcome): void;
  reject(error: unknown): void;
}

/** The next batch of one interaction. */
interface Pending {
  batch: AppendBatch;
  /** Log fields of the run that appends. */
  readonly fields: LogFields;
  readonly waiters: Waiter[];
}

export interface LogWriterOptions {
  /** Timeout of an append, in milliseconds from its first attempt. */
  readonly save_timeout_ms: number;
  /** Keeps batches that can't be saved in that time. */
  readonly spill?: Pick<Spill, 'keep'>;
  readonly telemetry?: Telemetry;
  readonly health?: Pick<StoreHealth, 'noteWritten' | 'noteNotWritten'>;
  /** True: appends put what they open and end into the outbox of webhooks. */
  readonly announce?: boolean;
}

/** `since`: when the store was asked for the first time, in monotonic milliseconds. */
interface Failure {
  readonly cause: unknown;
  readonly since: number;
}

/** Interactions in one commit: in a larger one, the first would wait too long for the last. */
const MAX_GROUP = 256;
const FIRST_RETRY_MS = 20;
const MAX_RETRY_MS = 500;

/**
 * Group commit: everything that the runs of the process append while one commit is in flight goes
 * into the next one. An append resolves when its rows are durable; appends of one interaction are
 * written in the order of the calls. A group that fails is retried one interaction at a time,
 * beside the groups that follow, so that none waits for another. A batch that can't be saved in
 * time is spilled, one that the store refuses for good is not; either way its run can append
 * nothing more.
 */
export class LogWriter {
  private readonly pending = new Map<string, Pending>();
  /** Interactions whose last batch failed: their next ones wait for it. */
  private readonly retrying = new Set<string>();
  private scheduled = false;

  constructor(
    private readonly records: RecordStore,
    private readonly clock: Clock,
    private readonly options: LogWriterOptions,
  ) {}

  /**
   * Resolves with `StoreRefused` if neither this nor any later append of the run was saved.
   * @throws AppError `store_unavailable`: neither it nor any later append of the run was saved, and
   * no reader may see them
   */
  append(batch: AppendBatch): Promise<AppendOutcome> {
    const announced = this.options.announce ? { ...batch, announce: true } : batch;
    return new Promise((resolve, reject) => {
      this.add(announced, { resolve, reject });
      this.schedule();
    });
  }

  private add(batch: AppendBatch, waiter: Waiter): void {
    const waiting = this.pending.get(batch.interaction_id);
    if (waiting && waiting.batch.epoch === batch.epoch) {
      waiting.batch = merge(waiting.batch, batch);
      waiting.waiters.push(waiter);
      return;
    }
    // Two runs of one process: the older one has lost its lease and doesn't know yet.
    if (waiting && waiting.batch.epoch > batch.epoch) return waiter.resolve('fenced');
    if (waiting) resolveAll(waiting, 'fenced');
    this.pending.set(batch.interaction_id, { batch, fields: logFields(), waiters: [waiter] });
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    outsideRuns(() => setImmediate(() => void this.drain()));
  }

  private async drain(): Promise<void> {
    for (let group = this.takeGroup(); group.length > 0; group = this.takeGroup())
      await this.commit(group);
    this.scheduled = false;
  }

  private takeGroup(): Pending[] {
    const group: Pending[] = [];
    for (const [id, pending] of this.pending) {
      if (group.length === MAX_GROUP) break;
      if (this.retrying.has(id)) continue;
      group.push(pending);
      this.pending.delete(id);
    }
    return group;
  }

  private async commit(group: readonly Pending[]): Promise<void> {
    const since = this.clock.monotonic();
    try {
      const outcomes = await this.write(group.map(({ batch }) => batch));
      group.forEach((pending, i) => this.settle(pending, outcomes[i] ?? 'fenced'));
    } catch (cause) {
      const refused = StoreRefused.from(cause);
      const [only, ...others] = group;
      if (refused && only && others.length === 0) this.settle(only, refused);
      else for (const pending of group) void this.retry(pending, { cause, since });
    }
  }

  private async write(batches: readonly AppendBatch[]): Promise<AppendOutcome[]> {
    const { health, telemetry } = this.options;
    const began = this.clock.monotonic();
    let outcomes: AppendOutcome[];
    try {
      outcomes = await this.records.append(batches);
    } catch (error) {
      health?.noteNotWritten(error);
      telemetry?.emit('append_failed', { duration_ms: this.clock.monotonic() - began });
      throw error;
    }
    health?.noteWritten();
    if (telemetry?.has('append_written')) {
      const duration_ms = this.clock.monotonic() - began;
      const written = batches.filter((_, i) => outcomes[i] === 'written');
      telemetry.emit('append_written', { batches: written, duration_ms });
    }
    return outcomes;
  }

  private settle(pending: Pending, outcome: AppendOutcome): void {
    // A later append of the run would leave a gap (I1).
    const rest = outcome instanceof StoreRefused ? this.takeRest(pending.batch) : undefined;
    resolveAll(pending, outcome);
    if (rest) resolveAll(rest, outcome);
  }

  private async retry(pending: Pending, failure: Failure): Promise<void> {
    const { interaction_id } = pending.batch;
    this.retrying.add(interaction_id);
    try {
      this.settle(pending, await this.saveAlone(pending.batch, failure));
    } catch (cause) {
      await this.giveUp(pending, cause);
    } finally {
      this.retrying.delete(interaction_id);
      this.schedule();
    }
  }

  /** @throws the store's last error */
  private async saveAlone(batch: AppendBatch, { cause, since }: Failure): Promise<AppendOutcome> {
    const deadline = since + this.options.save_timeout_ms;
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
      if (this.clock.monotonic() + wait > deadline) throw cause;
      await delay(wait);
      try {
        return (await this.write([batch]))[0] ?? 'fenced';
      } catch (again) {
        const refused = StoreRefused.from(again);
        if (refused) return refused;
        cause = again;
      }
    }
  }

  /** Rejects after all appends of the run were spilled: a later one would leave a gap (I1). */
  private async giveUp(pending: Pending, cause: unknown): Promise<void> {
    const given: Pending[] = [];
    let kept = true;
    for (let next: Pending | undefined = pending; next; next = this.takeRest(pending.batch)) {
      const { batch } = next;
      given.push(next);
      kept &&= await withLogFields(pending.fields, () => this.keep(batch));
    }
    const error = notSaved(cause, kept);
    for (const each of given) rejectAll(each, error);
    await immediate(); // its run stops appending
    const late = this.takeRest(pending.batch);
    if (late) rejectAll(late, error);
  }

  private async keep(batch: AppendBatch): Promise<boolean> {
    return (await this.options.spill?.keep(batch)) ?? false;
  }

  /** Later appends of the same run. */
  private takeRest({ interaction_id, epoch }: AppendBatch): Pending | undefined {
    const rest = this.pending.get(interaction_id);
    if (rest?.batch.epoch !== epoch) return undefined;
    this.pending.delete(interaction_id);
    return rest;
  }
}

function resolveAll({ waiters }: Pending, outcome: AppendOutcome): void {
  for (const waiter of waiters) waiter.resolve(outcome);
}

function rejectAll({ waiters }: Pending, error: unknown): void {
  for (const waiter of waiters) waiter.reject(error);
}

function merge(first: AppendBatch, next: AppendBatch): AppendBatch {
  const requests = [...(first.requests ?? []), ...(next.requests ?? [])];
  return {
    ...first,
    ...next,
    records: [...first.records, ...next.records],
    ...(requests.length > 0 && { requests }),
  };
}

function notSaved(cause: unknown, kept: boolean): AppError {
  const where = kept ? 'They are kept in DATA_DIR/spill' : 'They are lost';
  return new AppError(
    'unavailable',
    'store_unavailable',
    `The last records of the run could not be saved in time. ${where}, and the interaction resumes when the store is back.`,
    { cause },
  );
}
