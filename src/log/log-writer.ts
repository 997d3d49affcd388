import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.js';
import { AppError } from '../kernel/app-error.js';
import type { InteractionStore } from './interaction-store.js';
import type { AppendBatch, AppendOutcome } from './store-rows.js';

interface Waiter {
  resolve(outcome: AppendOutcome): void;
  reject(error: unknown): void;
}

/** What one interaction wants written next. */
interface Pending {
  batch: AppendBatch;
  readonly waiters: Waiter[];
}

export interface LogWriterOptions {
  /** How long an append that failed is tried again, in milliseconds. */
  readonly save_timeout_ms: number;
}

/** More than this in one commit would keep its first member waiting for the last. */
const MAX_GROUP = 256;
const FIRST_RETRY_MS = 20;
const MAX_RETRY_MS = 500;

/**
 * Group commit: what all runs of the process append while one commit is in flight goes into the next one together.
 * An append resolves when its rows are durable; appends of one interaction are written in the order of the calls. A group that
 * fails is retried one interaction at a time, beside the groups that follow: nobody waits for a neighbour.
 */
export class LogWriter {
  private readonly pending = new Map<string, Pending>();
  /** Interactions whose last batch failed; what they append waits until that is settled. */
  private readonly retrying = new Set<string>();
  private scheduled = false;

  constructor(
    private readonly store: InteractionStore,
    private readonly clock: Clock,
    private readonly options: LogWriterOptions,
  ) {}

  /** @throws AppError `store_unavailable`: neither this nor what the same run appended after it was saved */
  append(batch: AppendBatch): Promise<AppendOutcome> {
    return new Promise((resolve, reject) => {
      this.add(batch, { resolve, reject });
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
    // Two runs of one process: the older one has lost its lease without knowing it yet.
    if (waiting && waiting.batch.epoch > batch.epoch) return waiter.resolve('fenced');
    if (waiting) resolveAll(waiting, 'fenced');
    this.pending.set(batch.interaction_id, { batch, waiters: [waiter] });
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => void this.drain());
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
    try {
      const outcomes = await this.store.append(group.map(({ batch }) => batch));
      group.forEach((pending, i) => resolveAll(pending, outcomes[i] ?? 'fenced'));
    } catch (cause) {
      for (const pending of group) void this.retry(pending, cause);
    }
  }

  private async retry(pending: Pending, cause: unknown): Promise<void> {
    const { interaction_id } = pending.batch;
    this.retrying.add(interaction_id);
    try {
      resolveAll(pending, await this.saveAlone(pending.batch, cause));
    } catch (error) {
      rejectAll(pending, error);
      await immediate(); // its run hears of it, and appends no more
      this.dropRest(pending.batch, error);
    } finally {
      this.retrying.delete(interaction_id);
      this.schedule();
    }
  }

  private async saveAlone(batch: AppendBatch, cause: unknown): Promise<AppendOutcome> {
    const deadline = this.clock.monotonic() + this.options.save_timeout_ms;
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
      if (this.clock.monotonic() + wait > deadline) throw notSaved(cause);
      await delay(wait);
      try {
        return (await this.store.append([batch]))[0] ?? 'fenced';
      } catch (again) {
        cause = again;
      }
    }
  }

  /** What follows records that were not saved would leave a gap (I1). */
  private dropRest({ interaction_id, epoch }: AppendBatch, error: unknown): void {
    const rest = this.pending.get(interaction_id);
    if (rest?.batch.epoch !== epoch) return;
    this.pending.delete(interaction_id);
    rejectAll(rest, error);
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

function notSaved(cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'store_unavailable',
    'The interaction could not be saved because the database did not answer. It goes on when the database is back.',
    { cause },
  );
}
