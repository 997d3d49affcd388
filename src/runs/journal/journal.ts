import { setImmediate as nextTick } from 'node:timers/promises';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordOf, RecordType } from '../../protocol/events.js';
import { completes, endedBy } from './completes.js';
import type { CompletingRecord } from './completes.js';
import { JournalMismatch } from './journal-mismatch.js';

export interface JournalListener {
  /** Sees every record, in order of seq, just before the step that waits for it. */
  deliver(record: LogRecord): void;
  /** Nothing more can be delivered. */
  fail(error: unknown): void;
}

/**
 * How long an agent that waits for a step may leave an earlier one of the log unasked for, in milliseconds. Its code takes next to no
 * time from one step to the next, so by then it has changed.
 */
export const UNCLAIMED_MS = 60_000;

/**
 * What the steps of an interaction came to. Completions reach the agent one at a time in order of seq, on a replay as they did live, with
 * the event loop drained before each: so the agent calls its next steps in the same order too, and their keys mean the same.
 */
export class Journal {
  /** In order of seq; delivered up to `next`. */
  private readonly records: LogRecord[] = [];
  private next = 0;
  private readonly completed = new Map<string, CompletingRecord>();
  private readonly earlier = new Map<string, LogRecord[]>();
  private readonly waiting = new Map<string, (record: CompletingRecord) => void>();
  private readonly telling = new Map<string, () => void>();
  /** Keys of calls whose tools run on their own. */
  private readonly computing = new Set<string>();
  /** Keys of steps that have steps inside them, and of those, the completed ones; paths of child agents that have ended. */
  private readonly outer = new Set<string>();
  private readonly over = new Set<string>();
  private pumping = false;
  private stopped = false;
  private unclaimed: NodeJS.Timeout | undefined;

  constructor(private readonly listener: JournalListener) {}

  /** Records that are committed: those of earlier runs first, then this run's as they come. */
  push(records: readonly LogRecord[]): void {
    for (const record of records) {
      this.records.push(record);
      this.noteNesting(record);
      if (completes(record)) this.completed.set(record.key, record);
      else if (record.key !== null) this.remember(record.key, record);
    }
    this.pump();
  }

  /** The record that completed this step, before its turn has come. */
  find(key: string): CompletingRecord | undefined {
    return this.completed.get(key);
  }

  /** A record that tells how far a step got that is not completed. */
  findEarlier<T extends RecordType>(key: string, type: T): RecordOf<T> | undefined {
    return this.listEarlier(key, type)[0];
  }

  /** All such records, in order. */
  listEarlier<T extends RecordType>(key: string, type: T): readonly RecordOf<T>[] {
    const earlier = this.listEarlierRecords(key, type).map(({ body }) => body);
    return earlier.filter((body): body is RecordOf<T> => body.type === type);
  }

  /** As `listEarlier`, with what they hide. */
  listEarlierRecords(key: string, type: RecordType): readonly LogRecord[] {
    return (this.earlier.get(key) ?? []).filter(({ body }) => body.type === type);
  }

  /** As `findEarlier`, and when it was told. */
  findEarlierRecord(key: string, type: RecordType): LogRecord | undefined {
    return this.earlier.get(key)?.find((record) => record.body.type === type);
  }

  /** Resolves when all that the log has of this step was delivered. */
  told(key: string): Promise<void> {
    if (!this.undelivered().some((record) => record.key === key)) return Promise.resolve();
    return new Promise((resolve) => this.telling.set(key, resolve));
  }

  /** A tool computes until the answered function is called: it may take its time to its next step. */
  compute(key: string): () => void {
    this.computing.add(key);
    return () => void this.computing.delete(key);
  }

  /** Resolves with the record that completes this step, when its turn comes. */
  take(key: string): Promise<CompletingRecord> {
    return new Promise((resolve) => {
      this.waiting.set(key, resolve);
      this.pump();
    });
  }

  /** The agent of this path is stopped: nothing of what it or its children did is delivered any more. */
  abandon(path: string): void {
    this.over.add(path);
    for (const key of this.waiting.keys()) if (key.startsWith(`${path}/`)) this.waiting.delete(key);
    this.pump();
  }

  /** Delivers nothing more. What waits, waits for ever. */
  stop(): void {
    this.stopped = true;
    this.waiting.clear();
    clearTimeout(this.unclaimed);
  }

  /** Records that are in the log but were not delivered, in order. */
  undelivered(): readonly LogRecord[] {
    return this.records.slice(this.next);
  }

  /** The first step of the log, not delivered yet, that the agent has not come to. */
  findUnclaimed(): CompletingRecord | undefined {
    return this.undelivered()
      .filter(completes)
      .find((record) => this.isUnclaimed(record));
  }

  /** The first step of an agent in the log that it has not come to, not those of its tools and children. */
  findUnasked(path: string): CompletingRecord | undefined {
    return this.undelivered()
      .filter(completes)
      .filter(({ key, body }) => outerKey(key) === path && body.type !== 'AGENT_COMPLETED')
      .find((record) => this.isUnclaimed(record));
  }

  private noteNesting(record: LogRecord): void {
    if (record.key !== null) this.outer.add(outerKey(record.key));
    const ended = endedBy(record);
    if (ended !== undefined && this.outer.has(ended)) this.over.add(ended);
  }

  /**
   * Whether the agent has yet to come to this step. What was done inside a step that is completed, or by an agent that has ended, is not
   * done again: nobody asks for it.
   */
  private isUnclaimed({ key }: CompletingRecord): boolean {
    if (this.waiting.has(key)) return false;
    for (let outer = outerKey(key); outer !== ''; outer = outerKey(outer))
      if (this.over.has(outer)) return false;
    return true;
  }

  private remember(key: string, record: LogRecord): void {
    const known = this.earlier.get(key);
    if (known) known.push(record);
    else this.earlier.set(key, [record]);
  }

  /** What comes after the record that completed a step is of a call that its agent went on without. */
  private forgetUntil(key: string, seq: number): void {
    const later = (this.earlier.get(key) ?? []).filter((record) => record.seq > seq);
    if (later.length > 0) this.earlier.set(key, later);
    else this.earlier.delete(key);
  }

  private pump(): void {
    if (this.pumping) return;
    this.pumping = true;
    this.deliverReady().catch((error: unknown) => this.listener.fail(error));
  }

  private async deliverReady(): Promise<void> {
    for (let record = this.ready(); record; record = this.ready()) {
      if (completes(record)) await nextTick(); // what the agent calls on its way to the next wait is called by then
      if (this.stopped) break;
      const waiter = completes(record) ? this.waiting.get(record.key) : undefined;
      this.pass(record);
      if (completes(record)) waiter?.(record);
    }
    this.pumping = false;
    this.watchHead();
  }

  /** A head that nobody asks for holds up whoever waits for a later step. */
  private watchHead(): void {
    clearTimeout(this.unclaimed);
    if (this.waiting.size === 0 || this.next === this.records.length) return;
    this.unclaimed = setTimeout(() => this.failUnclaimed(), UNCLAIMED_MS).unref();
  }

  private failUnclaimed(): void {
    const step = this.findUnclaimed();
    if (step && this.computing.has(outerKey(step.key))) return this.watchHead();
    if (step) this.listener.fail(new JournalMismatch(step, 'nothing there'));
  }

  /** The next record, unless it completes a step that the agent has not come to. */
  private ready(): LogRecord | undefined {
    const record = this.stopped ? undefined : this.records[this.next];
    return record && completes(record) && this.isUnclaimed(record) ? undefined : record;
  }

  private pass(record: LogRecord): void {
    this.next++;
    if (record.key !== null && completes(record)) {
      this.waiting.delete(record.key);
      this.forgetUntil(record.key, record.seq);
      this.completed.delete(record.key);
    }
    this.listener.deliver(record);
    if (record.key !== null) this.tellOf(record.key);
    this.compact();
  }

  private tellOf(key: string): void {
    const resolve = this.telling.get(key);
    if (!resolve || this.undelivered().some((record) => record.key === key)) return;
    this.telling.delete(key);
    resolve();
  }

  /** Delivered records are only needed by those who kept them. */
  private compact(): void {
    if (this.next < 1_000) return;
    this.records.splice(0, this.next);
    this.next = 0;
  }
}

/** The step or agent that a step is inside of; empty when there is none. */
function outerKey(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}
