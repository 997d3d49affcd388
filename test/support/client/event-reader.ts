import type { RecordEvent, RecordType } from '../../../src/protocol/events.js';
import type { SseFrame } from './sse-frame.js';
import { StrictReader } from './strict-reader.js';

type RecordEventOf<T extends RecordType> = Extract<RecordEvent, { type: T }>;

/**
 * A client of the API that believes nothing, over however many connections it takes to read one
 * interaction.
 */
export class EventReader extends StrictReader {
  /** Types of the records, in order. */
  get types(): RecordType[] {
    return this.records.map(({ type }) => type);
  }

  /** The text of all blocks that are still open. */
  get openText(): string {
    return [...this.texts.values()].join('');
  }

  /** The first record of this type. */
  find<T extends RecordType>(type: T): RecordEventOf<T> | undefined {
    return this.list(type)[0];
  }

  /** The records of this type. */
  list<T extends RecordType>(type: T): RecordEventOf<T>[] {
    return this.records.filter((record) => record.type === type) as RecordEventOf<T>[];
  }

  read(frame: SseFrame): this {
    this.checkShape(frame);
    if (frame.data.type !== 'TRACE') this.take(frame.id, frame.data);
    return this;
  }

  async readAll(frames: Iterable<SseFrame> | AsyncIterable<SseFrame>): Promise<this> {
    for await (const frame of frames) this.read(frame);
    return this;
  }

  private checkShape({ id, event, data }: SseFrame): void {
    const { type, interaction_id, agent_id } = data;
    if (type !== event.toUpperCase()) this.fault(`${event} ${id} has the type ${type}`);
    if (!interaction_id.startsWith('int_') || !agent_id.startsWith('agent_'))
      this.fault(`${event} ${id} does not say whose it is`);
    if ('seq' in data && Number.isNaN(Date.parse(data.at)))
      this.fault(`${event} ${id} has no time`);
    if ('offset' in data && !/^[a-z0-9]{1,32}$/.test(data.block_id))
      this.fault(`${event} ${id} has the block id ${data.block_id}`);
    if ('offset' in data && data.delta === '') this.fault(`${event} ${id} is empty`);
  }
}
