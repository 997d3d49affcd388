import { formatCursor } from '../../protocol/cursor.js';
import type { Cursor } from '../../protocol/cursor.js';
import { blockOf, closedBlocks } from '../live/block-of.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';

/** The cursor of a follower's reader, moved by the events that are emitted. */
export class Position {
  seq: number;
  private readonly offsets: Map<string, number>;
  /**
   * Blocks closed by records from the store that the bus has not delivered yet: their late deltas
   * are dropped.
   */
  private readonly closedAhead = new Set<string>();

  constructor(cursor: Cursor) {
    this.seq = cursor.seq;
    this.offsets = new Map(cursor.offsets);
  }

  format(): string {
    return this.offsets.size === 0 ? String(this.seq) : formatCursor(this.seq, this.offsets);
  }

  offset(blockId: string): number {
    return this.offsets.get(blockId) ?? 0;
  }

  isClosed(blockId: string): boolean {
    return this.closedAhead.has(blockId);
  }

  advanceBlock(blockId: string, offset: number): void {
    this.offsets.set(blockId, offset);
  }

  /** The reader has everything up to this record. */
  advance(record: LogRecord): void {
    this.seq = record.seq;
    if (record.body.type === 'RESUMED') this.close([...this.offsets.keys()]);
    this.closeBlocks(record);
  }

  /** No delta of the blocks that this record closes may be emitted any more. */
  closeBlocks(record: LogRecord): void {
    this.close(closedBlocks(record.body));
  }

  /** The bus has delivered everything that the reader has. */
  caughtUp(): void {
    this.closedAhead.clear();
  }

  /** The rest of the record's block that the reader lacks. */
  missing(record: LogRecord): { offset: number; text: string } | undefined {
    const block = blockOf(record.body);
    if (!block) return undefined;
    const offset = this.offset(block.id);
    return offset < block.text.length ? { offset, text: block.text.slice(offset) } : undefined;
  }

  private close(blockIds: readonly string[]): void {
    for (const id of blockIds) {
      this.offsets.delete(id);
      this.closedAhead.add(id);
    }
  }
}
