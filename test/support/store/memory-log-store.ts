import type { WholeStore } from './whole-store.js';
import { GrowingPage } from '../../../src/storage/memory/core/event-page.js';
import type { EventLimits, EventPage } from '../../../src/persistence/record.store.js';
import type { LogRecord } from '../../../src/persistence/rows/log-record.js';
import type { AppendBatch, AppendOutcome } from '../../../src/persistence/rows/append-rows.js';

/** Before and after the commit of an append, and of the reading of a page. */
export type StorePoint = 'append' | 'appended' | 'read' | 'found';

interface Log {
  epoch: number;
  readonly records: LogRecord[];
}

/**
 * The logs of an `InteractionStore`, in memory; `pass` may hold an operation at a point, or make it
 * fail there.
 */
export class MemoryLogStore {
  /** What a log must never hold: each gap or foreign epoch that somebody tried to write. */
  readonly faults: string[] = [];
  /** The batches of each call of `append`. */
  readonly appends: (readonly AppendBatch[])[] = [];
  /** The ids of each call of `readLastSeqs`. */
  readonly lastSeqCalls: (readonly string[])[] = [];
  private readonly logs = new Map<string, Log>();

  constructor(private readonly pass: (point: StorePoint) => Promise<void> = async () => {}) {}

  /** The log knows nothing else of the port. */
  get port(): WholeStore {
    return this as unknown as WholeStore;
  }

  create(id: string, { epoch = 1, records = [] as readonly LogRecord[] } = {}): void {
    this.logs.set(id, { epoch, records: [...records] });
  }

  delete(id: string): void {
    this.logs.delete(id);
  }

  /** Fences off the run that holds the log; answers the epoch of the next one. */
  takeOver(id: string): number {
    return ++this.log(id).epoch;
  }

  records(id: string): readonly LogRecord[] {
    return this.logs.get(id)?.records ?? [];
  }

  async append(batches: readonly AppendBatch[]): Promise<AppendOutcome[]> {
    this.appends.push(batches);
    await this.pass('append');
    const outcomes = batches.map((batch) => this.write(batch));
    await this.pass('appended');
    return outcomes;
  }

  async readRecords(id: string, page: { after: number; limit: number }): Promise<LogRecord[]> {
    await this.pass('read');
    const records = this.records(id).slice(page.after, page.after + page.limit);
    await this.pass('found');
    return records;
  }

  async readEvents(id: string, asked: { after: number } & EventLimits): Promise<EventPage> {
    const { after, limit } = asked;
    const found = await this.readRecords(id, { after, limit: limit + 1 });
    const growing = new GrowingPage(asked);
    for (const record of found)
      if (!growing.add({ ...record, hidden: null }, JSON.stringify(record.body).length)) break;
    return growing.page;
  }

  async readLastSeqs(ids: readonly string[]): Promise<Map<string, number>> {
    this.lastSeqCalls.push(ids);
    await this.pass('read');
    const known = ids.filter((id) => this.logs.has(id));
    return new Map(known.map((id) => [id, this.records(id).length]));
  }

  private write({ interaction_id, epoch, records }: AppendBatch): AppendOutcome {
    const log = this.logs.get(interaction_id);
    if (log?.epoch !== epoch) return 'fenced';
    for (const record of records) this.writeOne(log, record);
    return 'written';
  }

  private writeOne({ epoch, records }: Log, record: LogRecord): void {
    if (record.epoch !== epoch) this.faults.push(`seq ${record.seq} has epoch ${record.epoch}`);
    if (record.seq <= records.length) return; // a commit that was in doubt
    if (record.seq > records.length + 1)
      this.faults.push(`seq ${record.seq} after ${records.length}`);
    records.push(record);
  }

  private log(id: string): Log {
    const log = this.logs.get(id);
    if (!log) throw new Error(`There is no log ${id}.`);
    return log;
  }
}
