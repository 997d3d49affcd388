import { EVENT_OVERHEAD } from '../../../persistence/record.store.js';
import type { EventLimits, EventPage } from '../../../persistence/record.store.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';

/** A page while records are added to it in order. */
export class GrowingPage {
  private readonly records: LogRecord[] = [];
  private bytes = 0;
  private isFull = false;

  constructor(private readonly limits: EventLimits) {}

  /** Returns false if the record belongs on the next page. */
  add(record: LogRecord, bodyBytes: number): boolean {
    const bytes = this.bytes + bodyBytes + EVENT_OVERHEAD;
    const isFirst = this.records.length === 0;
    this.isFull =
      this.records.length >= this.limits.limit || (!isFirst && bytes > this.limits.bytes);
    if (this.isFull) return false;
    this.records.push(record);
    this.bytes = bytes;
    return true;
  }

  get page(): EventPage {
    return { records: this.records, bytes: this.bytes, has_more: this.isFull };
  }
}
