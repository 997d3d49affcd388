import type { ApiClient } from './api-client.js';
import type { EventStream } from './event-stream.js';

/** A frame of the stream of a chat, or of the feed. */
export interface LiveFrame {
  readonly id: string;
  readonly event: string;
  readonly data: any; // oxlint-disable-line typescript/no-explicit-any -- parsed JSON, as expectations read it
}

/** One connection to the stream of a chat or to the feed, which is read until it is closed. */
export class LiveWatch {
  readonly frames: LiveFrame[] = [];
  /** Resolves when the server, or `close`, has ended it. */
  readonly ended: Promise<void>;
  private readonly watchers = new Set<() => void>();
  private hasEnded = false;

  private constructor(private readonly stream: EventStream) {
    this.ended = this.read();
  }

  /** After the cursor, if one is given. */
  static async open(api: ApiClient, path: string, cursor?: string): Promise<LiveWatch> {
    const stream = await api.watch(path, cursor);
    if (stream.status !== 200) throw new Error(`${path}: ${stream.status}`);
    return new LiveWatch(stream);
  }

  get lastId(): string {
    return this.frames.at(-1)!.id;
  }

  /** The names of the events, without those that repeat. */
  get events(): string[] {
    return this.frames.map(({ event }) => event);
  }

  of(event: string): LiveFrame[] {
    return this.frames.filter((frame) => frame.event === event);
  }

  /**
   * The data of the nth such event, from 1, as soon as it is there.
   * @throws Error when the stream ends without it
   */
  async until(event: string, isIt: (data: LiveFrame['data']) => boolean = () => true, n = 1) {
    for (;;) {
      const found = this.of(event).filter(({ data }) => isIt(data))[n - 1];
      if (found) return found.data;
      if (this.hasEnded) throw new Error(`no ${event} ${n} in ${this.events.join()}`);
      await new Promise<void>((resolve) => this.watchers.add(resolve));
    }
  }

  async close(): Promise<void> {
    this.stream.close();
    await this.ended;
  }

  private async read(): Promise<void> {
    try {
      for await (const frame of this.stream) {
        this.frames.push(frame);
        this.tell();
      }
    } catch (error) {
      const { name } = error as Error; // fetch's words for a connection that broke or was closed
      if (name !== 'TypeError' && name !== 'AbortError') throw error;
    } finally {
      this.hasEnded = true;
      this.tell();
    }
  }

  private tell(): void {
    for (const tell of this.watchers) tell();
    this.watchers.clear();
  }
}
