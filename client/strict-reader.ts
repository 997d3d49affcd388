import type { DeltaEvent, RecordEvent, StreamEvent } from './types.js';

/** A frame of the stream of one interaction, with its data parsed. */
export interface EventFrame {
  readonly id: string;
  readonly event: string;
  readonly data: StreamEvent;
  /** The data as it was sent. */
  readonly text?: string | undefined;
}

/**
 * Keeps what a client is sent of one interaction, over however many connections, and everything
 * that is wrong with it (I2). It is for tests, benchmarks and chaos, which look for the faults that
 * `ReadOnce` hides; `parley/client` does not export it.
 */
export class StrictReader {
  cursor = '0';
  readonly records: RecordEvent[] = [];
  /** The same as they were sent, where frames say that. */
  readonly texts: string[] = [];
  readonly faults: string[] = [];
  /** Number of characters in blocks that are complete. */
  characters = 0;
  /** The texts so far of blocks that are not closed. */
  readonly open = new Map<string, string>();
  private readonly closed = new Set<string>();

  get done(): boolean {
    return this.records.at(-1)?.type === 'INTERACTION_COMPLETE';
  }

  /** The text of all blocks that are still open. */
  get openText(): string {
    return [...this.open.values()].join('');
  }

  read({ id, event, data, text }: EventFrame): this {
    this.checkName(event, data);
    if (text !== undefined && 'seq' in data) this.texts.push(text);
    this.take(id, data);
    return this;
  }

  /** Reads an event that did not come over the wire. */
  take(id: string, event: StreamEvent): void {
    if (this.done) this.fault(`${event.type} after the end`);
    this.checkShape(event);
    if ('seq' in event) this.takeRecord(event);
    else if ('offset' in event) this.takeDelta(event);
    else this.fault(`${event.type} is neither a record nor a delta`);
    this.checkCursor(id);
    this.cursor = id;
  }

  fault(fault: string): void {
    this.faults.push(fault);
  }

  protected checkName(name: string, { type }: StreamEvent): void {
    if (type !== name.toUpperCase()) this.fault(`${name} has the type ${type}`);
  }

  protected checkShape(event: StreamEvent): void {
    const { type, interaction_id, agent_id } = event;
    if (!interaction_id.startsWith('int_') || !agent_id.startsWith('agent_'))
      this.fault(`${type} does not say whose it is`);
    if ('seq' in event && Number.isNaN(Date.parse(event.at))) this.fault(`${type} has no time`);
  }

  private takeDelta({ block_id, offset, delta }: DeltaEvent): void {
    if (!/^[a-z0-9]{1,32}$/.test(block_id)) this.fault(`a delta has the block id ${block_id}`);
    if (delta === '') this.fault(`a delta of ${block_id} is empty`);
    if (this.closed.has(block_id)) this.fault(`a delta of ${block_id}, which is closed`);
    const have = this.open.get(block_id) ?? '';
    if (offset !== have.length)
      this.fault(`a delta of ${block_id} at ${offset}, not ${have.length}`);
    if (/[\ud800-\udbff]$/.test(delta))
      this.fault(`a delta of ${block_id} cuts a character in two`);
    this.open.set(block_id, have.slice(0, offset) + delta);
  }

  private takeRecord(record: RecordEvent): void {
    const { seq } = record;
    if (seq !== this.records.length + 1) this.fault(`record ${seq} after ${this.records.length}`);
    this.records.push(record);
    if (record.type === 'RESUMED') for (const block of this.open.keys()) this.close(block);
    if (record.type === 'NOTICE') for (const block of record.void ?? []) this.close(block);
    if (!('block_id' in record) || record.block_id === undefined) return;
    const { block_id } = record;
    if (this.closed.has(block_id)) this.fault(`${block_id} is completed and was closed before`);
    const have = this.open.get(block_id) ?? '';
    const text = textOf(record);
    if (text !== undefined && text !== have)
      this.fault(`${block_id} had "${have}" in deltas and has "${text}" in record ${seq}`);
    this.characters += text?.length ?? 0;
    this.close(block_id);
  }

  /** It is the exact position of this reader. */
  private checkCursor(id: string): void {
    const blocks = [...this.open].map(([block, text]) => `${block}.${text.length}`);
    const expected = [this.records.length, ...blocks.toSorted()].join('~');
    const [seq, ...rest] = id.split('~');
    if ([seq, ...rest.toSorted()].join('~') !== expected)
      this.fault(`cursor ${id}, not ${expected}`);
  }

  private close(block: string): void {
    this.open.delete(block);
    this.closed.add(block);
  }
}

/** The text that the deltas of its block must have given; a tool's output is only a preview. */
function textOf(record: RecordEvent): string | undefined {
  switch (record.type) {
    case 'THINKING':
    case 'MESSAGE':
    case 'ANSWER':
      return record.content;
    case 'TOOL_CALL':
      return record.tool_input;
    default:
      return undefined;
  }
}
