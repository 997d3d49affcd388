import { setImmediate as nextTick } from 'node:timers/promises';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordType } from '../../protocol/events.js';
import { completes } from './completes.js';
import type { CompletingRecord } from './completes.js';
import { JournalMismatch } from './journal-mismatch.js';
import { outerKey, StepNesting, StepProgress } from './step-index.js';
import type { ProgressRecord } from './step-index.js';

export interface JournalListener {
  /** Receives every record, in order of seq, just before the step that waits for it resolves. */
  deliver(record: LogRecord): void;
  /** Nothing more can be delivered. */
  fail(error: unknown): void;
}

/**
 * Timeout for an earlier step of the log to be claimed while an agent waits for a later one, in
 * milliseconds. Agent code takes almost no time between two steps, so by then its code must have
 * changed.
 */
export const UNCLAIMED_MS = 60_000;

/**
 * The outcomes of an interaction's steps. Completions are delivered to the agents one at a time, in
 * order of seq, both live and on a replay, with the event loop drained before each. So agents
 * request their next steps in the same order, and their keys have the same meaning (ADR 4).
 *
 * A record passes two stages: `push`, once it is committed, and delivery, in its turn. Between
 * them, a completion waits until the agent claims its step.
 */
export class Journal {
  /** In order of seq; delivered up to `next`. */
  private readonly records: LogRecord[] = [];
  private next = 0;
  private readonly completed = new Map<string, CompletingRecord>();
  private readonly progress = new StepProgress();
  private readonly nesting = new StepNesting();
  private readonly waiting = new Map<string, (record: CompletingRecord) => void>();
  private readonly waitingForAll = new Map<string, () => void>();
  /** Keys of calls whose tools compute between their steps. */
  private readonly computing = new Set<string>();
  private isPumping = false;
  private isStopped = false;
  private unclaimedTimer: NodeJS.Timeout | undefined;

  constructor(private readonly listener: JournalListener) {}

  /** Adds committed records: those of earlier runs first, then this run's as they are committed. */
  push(records: readonly LogRecord[]): void {
    for (const record of records) {
      this.records.push(record);
      this.nesting.add(record);
      if (completes(record)) this.completed.set(record.key, record);
      else if (record.key !== null) this.progress.add(record.key, record);
    }
    this.pump();
  }

  /** The committed record that completes this step, if it is not delivered yet. */
  findCompletion(key: string): CompletingRecord | undefined {
    return this.completed.get(key);
  }

  /** The first committed record of this type of a step whose completion is not delivered yet. */
  findProgress<T extends RecordType>(key: string, type: T): ProgressRecord<T> | undefined {
    return this.listProgress(key, type)[0];
  }

  /** All such records, in order. */
  listProgress<T extends RecordType>(key: string, type: T): readonly ProgressRecord<T>[] {
    return this.progress.list(key, type);
  }

  /** The first undelivered completion that no agent has claimed. */
  firstUnclaimed(): CompletingRecord | undefined {
    return this.undelivered()
      .filter(completes)
      .find((record) => this.isUnclaimed(record));
  }

  /**
   * The first unclaimed completion of this agent's own steps, excluding those of its tools and
   * children.
   */
  firstUnclaimedOf(path: string): CompletingRecord | undefined {
    return this.undelivered()
      .filter(completes)
      .filter(({ key, body }) => outerKey(key) === path && body.type !== 'AGENT_COMPLETED')
      .find((record) => this.isUnclaimed(record));
  }

  /** Claims the step. Resolves with the record that completes it, when that is delivered. */
  completionOf(key: string): Promise<CompletingRecord> {
    return new Promise((resolve) => {
      this.waiting.set(key, resolve);
      this.pump();
    });
  }

  /** Resolves when all committed records of this step were delivered. */
  deliveryOf(key: string): Promise<void> {
    if (!this.undelivered().some((record) => record.key === key)) return Promise.resolve();
    return new Promise((resolve) => this.waitingForAll.set(key, resolve));
  }

  /** A tool computes until the returned function is called: it may claim its next step late. */
  compute(key: string): () => void {
    this.computing.add(key);
    return () => void this.computing.delete(key);
  }

  /** The agent of this path is stopped: it and its children get no more completions. */
  abandon(path: string): void {
    this.nesting.end(path);
    for (const key of this.waiting.keys()) if (key.startsWith(`${path}/`)) this.waiting.delete(key);
    this.pump();
  }

  /** Stops delivery; claimed steps never resolve. */
  stop(): void {
    this.isStopped = true;
    this.waiting.clear();
    clearTimeout(this.unclaimedTimer);
  }

  get hasUndelivered(): boolean {
    return this.next < this.records.length;
  }

  /** Committed records that were not delivered, in order. */
  undelivered(): readonly LogRecord[] {
    return this.records.slice(this.next);
  }

  private isUnclaimed({ key }: CompletingRecord): boolean {
    return !this.waiting.has(key) && !this.nesting.isOver(key);
  }

  private pump(): void {
    if (this.isPumping) return;
    this.isPumping = true;
    this.deliverReady().catch((error: unknown) => this.listener.fail(error));
  }

  private async deliverReady(): Promise<void> {
    for (let record = this.ready(); record; record = this.ready()) {
      if (completes(record)) await nextTick(); // the agent claims all steps up to its next wait
      if (this.isStopped) break;
      const resolve = completes(record) ? this.waiting.get(record.key) : undefined;
      this.deliver(record);
      if (completes(record)) resolve?.(record);
    }
    this.isPumping = false;
    this.watchUnclaimed();
  }

  /**
   * Fails the run if the next completion is not claimed within UNCLAIMED_MS while a later step is
   * waited for.
   */
  private watchUnclaimed(): void {
    clearTimeout(this.unclaimedTimer);
    if (this.waiting.size === 0 || !this.hasUndelivered) return;
    this.unclaimedTimer = setTimeout(() => this.failUnclaimed(), UNCLAIMED_MS).unref();
  }

  private failUnclaimed(): void {
    const step = this.firstUnclaimed();
    if (step && this.computing.has(outerKey(step.key))) return this.watchUnclaimed();
    if (step) this.listener.fail(new JournalMismatch(step, 'nothing there'));
  }

  /** The next record, unless it is an unclaimed completion. */
  private ready(): LogRecord | undefined {
    const record = this.isStopped ? undefined : this.records[this.next];
    return record && completes(record) && this.isUnclaimed(record) ? undefined : record;
  }

  private deliver(record: LogRecord): void {
    this.next++;
    if (completes(record)) {
      this.waiting.delete(record.key);
      this.progress.complete(record.key, record.seq);
      this.completed.delete(record.key);
    }
    this.listener.deliver(record);
    if (record.key !== null) this.resolveDelivery(record.key);
    this.compact();
  }

  private resolveDelivery(key: string): void {
    const resolve = this.waitingForAll.get(key);
    if (!resolve || this.undelivered().some((record) => record.key === key)) return;
    this.waitingForAll.delete(key);
    resolve();
  }

  /** Drops delivered records. */
  private compact(): void {
    if (this.next < 1_000) return;
    this.records.splice(0, this.next);
    this.next = 0;
  }
}
