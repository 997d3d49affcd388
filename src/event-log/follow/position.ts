import { formatCursor } from '../../protocol/cursor.js';
import type { Cursor } from '../../protocol/cursor.js';
import { blockOf, closedBlocks } from '../live/block-of.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';

/** Where a follower stands: its reader's cursor, moved by what is sent. */
export class Position {
  seq: number;
  private readonly offsets: Map<string, number>;
  /** Blocks closed by records that came from the store before the bus told of them: late deltas of theirs are dropped. */
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

  /** No delta of what this record closes may be sent, whatever the bus still says. */
  closeBlocks(record: LogRecord): void {
    this.close(closedBlocks(record.body));
  }

  /** The bus has told of everything that the reader has. */
  caughtUp(): void {
    this.closedAhead.clear();
  }

  /** What the reader lacks of the block that this record holds. */
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
