import type { StreamEvent } from '../../../src/event-log/follow/stream-event.js';
import type { RecordEvent } from '../../../src/protocol/events.js';
import { formatCursor } from '../../../src/protocol/cursor.js';

type DeltaEvent = Extract<StreamEvent, { offset: number }>;

/** A client that believes nothing: what it was sent, and everything that was wrong with it (I2). */
export class StrictReader {
  cursor = '0';
  readonly records: RecordEvent[] = [];
  readonly faults: string[] = [];
  /** The texts so far of blocks that are not closed. */
  private readonly open = new Map<string, string>();
  private readonly closed = new Set<string>();

  /** The text so far of each block that is open. */
  get texts(): ReadonlyMap<string, string> {
    return this.open;
  }

  get done(): boolean {
    return this.records.at(-1)?.type === 'INTERACTION_COMPLETE';
  }

  take(id: string, event: StreamEvent): void {
    if (this.done) this.fault(`${event.type} after the end`);
    if ('seq' in event) this.takeRecord(event);
    else if ('offset' in event) this.takeDelta(event);
    this.checkCursor(id);
    this.cursor = id;
  }

  private takeDelta({ block_id, offset, delta }: DeltaEvent): void {
    if (this.closed.has(block_id)) this.fault(`delta of ${block_id}, which is closed`);
    const have = this.open.get(block_id) ?? '';
    if (offset !== have.length) this.fault(`${block_id}: delta at ${offset}, have ${have.length}`);
    if (splitsPair(have + delta)) this.fault(`${block_id}: a pair is cut in two`);
    this.open.set(block_id, have.slice(0, offset) + delta);
  }

  private takeRecord(event: RecordEvent): void {
    if (event.seq !== this.records.length + 1)
      this.fault(`seq ${event.seq} after ${this.records.length}`);
    this.records.push(event);
    if (event.type === 'RESUMED') for (const block of this.open.keys()) this.close(block);
    if (event.type === 'NOTICE') for (const block of event.void ?? []) this.close(block);
    if (!('block_id' in event) || event.block_id === undefined) return;
    const text = textOf(event);
    const have = this.open.get(event.block_id) ?? '';
    if (this.closed.has(event.block_id)) this.fault(`${event.block_id} is completed, and was void`);
    if (text !== undefined && have !== text)
      this.fault(`${event.block_id}: deltas gave "${have}", the record has "${text}"`);
    this.close(event.block_id);
  }

  /** It says where this reader stands, exactly. */
  private checkCursor(id: string): void {
    const offsets = new Map([...this.open].map(([block, text]) => [block, text.length]));
    const expected = formatCursor(this.records.length, offsets).split('~').sort();
    if (id.split('~').sort().join() !== expected.join())
      this.fault(`cursor ${id} where it is ${expected.join('~')}`);
  }

  private close(block: string): void {
    this.open.delete(block);
    this.closed.add(block);
  }

  protected fault(what: string): void {
    this.faults.push(what);
  }
}

/** The text that the deltas of its block must have given; a tool's output is only a preview. */
function textOf(event: RecordEvent): string | undefined {
  switch (event.type) {
    case 'THINKING':
    case 'MESSAGE':
    case 'ANSWER':
      return event.content;
    case 'TOOL_CALL':
      return event.tool_input;
    default:
      return undefined;
  }
}

function splitsPair(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
