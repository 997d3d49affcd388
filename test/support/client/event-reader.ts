import type { RecordEvent, RecordType } from '../../../src/protocol/events.js';
import { StrictReader } from '../../../client/strict-reader.js';
import type { EventFrame } from '../../../client/strict-reader.js';

type RecordEventOf<T extends RecordType> = Extract<RecordEvent, { type: T }>;

/** A strict reader for expectations, which may also be sent traces. */
export class EventReader extends StrictReader {
  /** Types of the records, in order. */
  get types(): RecordType[] {
    return this.records.map(({ type }) => type);
  }

  /** The first record of this type. */
  find<T extends RecordType>(type: T): RecordEventOf<T> | undefined {
    return this.list(type)[0];
  }

  /** The records of this type. */
  list<T extends RecordType>(type: T): RecordEventOf<T>[] {
    return this.records.filter((record) => record.type === type) as RecordEventOf<T>[];
  }

  override take(id: string, event: EventFrame['data']): void {
    if (event.type === 'TRACE') this.checkShape(event);
    else super.take(id, event);
  }

  async readAll(frames: Iterable<EventFrame> | AsyncIterable<EventFrame>): Promise<this> {
    for await (const frame of frames) this.read(frame);
    return this;
  }
}
