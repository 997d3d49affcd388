import type { ChatStreamEvent, DeltaEvent, FeedEvent, RecordEvent } from './types.js';

interface Progress {
  seq: number;
  /** The offset in each open block; Infinity once its record has come. */
  readonly ends: Map<string, number>;
  /** No block is open. */
  hasEnded: boolean;
}

/**
 * Lets every record and every character pass once, also where a connection repeats some. One for
 * all connections of a reader.
 */
export class ReadOnce {
  /** By interaction. */
  private readonly read = new Map<string, Progress>();

  /** The event without what was read before; undefined if nothing is left of it. */
  take<E extends ChatStreamEvent | FeedEvent>(event: E): E | undefined {
    if ('offset' in event) return this.takeDelta(event) as E | undefined;
    if ('seq' in event) return this.takeRecord(event) ? event : undefined;
    if (isLogLost(event)) this.read.delete((event as { interaction_id: string }).interaction_id);
    return event;
  }

  private takeRecord(record: RecordEvent): boolean {
    const progress = this.progressOf(record.interaction_id);
    if (record.seq <= progress.seq) return false;
    progress.seq = record.seq;
    if ('block_id' in record && record.block_id) progress.ends.set(record.block_id, Infinity);
    progress.hasEnded = record.type === 'INTERACTION_COMPLETE';
    if (progress.hasEnded) progress.ends.clear();
    return true;
  }

  private takeDelta(delta: DeltaEvent): DeltaEvent | undefined {
    const { ends, hasEnded } = this.progressOf(delta.interaction_id);
    if (hasEnded) return undefined;
    const have = ends.get(delta.block_id);
    const end = delta.offset + delta.delta.length;
    if (have !== undefined && end <= have) return undefined;
    ends.set(delta.block_id, end);
    if (have === undefined || have <= delta.offset) return delta;
    return { ...delta, offset: have, delta: delta.delta.slice(have - delta.offset) };
  }

  private progressOf(id: string): Progress {
    let progress = this.read.get(id);
    if (!progress) this.read.set(id, (progress = { seq: 0, ends: new Map(), hasEnded: false }));
    return progress;
  }
}

/** The server has lost records that the reader may have, and sends all of them again. */
export function isLogLost(event: object): boolean {
  return !('seq' in event) && 'code' in event && event.code === 'log_went_back';
}
