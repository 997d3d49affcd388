import type { StreamEvent } from '../../../src/event-log/follow/stream-event.js';
import type { RecordEvent, RecordType } from '../../../src/protocol/events.js';
import type { ApiClient, Body } from '../client/api-client.js';
import { EventReader } from '../client/event-reader.js';
import type { EventFrame } from '../../../client/strict-reader.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type RecordEventOf<T extends RecordType> = Extract<RecordEvent, { type: T }>;
type InteractionRef = Pick<Interaction, 'chat_id' | 'id'>;

/**
 * Somebody who reads an interaction while a test does other things to it, and tells the test what
 * has come.
 */
export class Following {
  readonly reader = new EventReader();
  readonly frames: EventFrame[] = [];
  private readonly watchers = new Set<() => void>();
  private connection: Promise<'ended' | 'broken'>;

  constructor(
    api: ApiClient,
    readonly of: InteractionRef,
    frames: AsyncIterable<EventFrame> | Promise<AsyncIterable<EventFrame>> = api.events(of),
  ) {
    this.connection = this.read(frames);
  }

  /** Starts an interaction, and reads the stream that answers. */
  static async start(api: ApiClient, chat_id: string, body: Body, query = ''): Promise<Following> {
    const frames = (await api.stream(chat_id, body, {}, query))[Symbol.asyncIterator]();
    const { value: first } = await frames.next();
    if (!first) throw new Error(`no interaction began in ${chat_id}`);
    const all = async function* () {
      yield first;
      yield* frames;
    };
    return new Following(api, { chat_id, id: first.data.interaction_id }, all());
  }

  /**
   * The nth record of this type from 1, as soon as it is there.
   * @throws Error when the interaction ends without it
   */
  async record<T extends RecordType>(type: T, n = 1): Promise<RecordEventOf<T>> {
    for (;;) {
      const found = this.reader.list(type)[n - 1];
      if (found) return found;
      if (this.reader.done) throw new Error(`no ${type} ${n} in ${this.reader.types.join()}`);
      await new Promise<void>((resolve) => this.watchers.add(resolve));
    }
  }

  /** Resolves when there was an event of this type. */
  async event(type: StreamEvent['type']): Promise<void> {
    while (!this.frames.some(({ data }) => data.type === type))
      await new Promise<void>((resolve) => this.watchers.add(resolve));
  }

  /** How the connection came to its end. */
  closed(): Promise<'ended' | 'broken'> {
    return this.connection;
  }

  /** Goes on from where the connection broke, maybe at another server. */
  async resume(api: ApiClient): Promise<this> {
    await this.connection;
    this.connection = this.read(api.events(this.of, this.reader.cursor));
    return this;
  }

  /** What was read, once the interaction has ended. */
  async end(): Promise<EventReader> {
    await this.record('INTERACTION_COMPLETE');
    await this.connection;
    return this.reader;
  }

  private async read(
    frames: AsyncIterable<EventFrame> | Promise<AsyncIterable<EventFrame>>,
  ): Promise<'ended' | 'broken'> {
    try {
      for await (const frame of await frames) {
        this.frames.push(frame);
        this.reader.read(frame);
        for (const tell of this.watchers) tell();
        this.watchers.clear();
      }
      return 'ended';
    } catch (error) {
      if ((error as Error).name !== 'TypeError') throw error; // fetch's word for a connection that broke
      return 'broken';
    }
  }
}
