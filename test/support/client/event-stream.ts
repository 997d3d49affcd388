import { parseSseBlock } from './sse-frame.js';
import type { SseFrame } from './sse-frame.js';

/**
 * One connection to a stream of events. Iterating it to its end closes it, and so does leaving the
 * loop.
 */
export class EventStream implements AsyncIterable<SseFrame> {
  /** Called at each heartbeat, while somebody reads. */
  onHeartbeat: () => void = () => {};
  /** What the stream said about coming back, in milliseconds. */
  retry: number | undefined;

  constructor(
    readonly response: Response,
    private readonly connection: AbortController,
  ) {}

  get status(): number {
    return this.response.status;
  }

  /** Leaves as a client does whose process is gone. */
  close(): void {
    this.connection.abort();
  }

  /** All that is left of it. */
  async all(): Promise<SseFrame[]> {
    const frames: SseFrame[] = [];
    for await (const frame of this) frames.push(frame);
    return frames;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SseFrame, void> {
    try {
      for await (const block of this.blocks()) {
        const parsed = parseSseBlock(block);
        if (parsed.kind === 'comment') this.onHeartbeat();
        else {
          this.retry ??= parsed.retry;
          yield parsed.frame;
        }
      }
    } finally {
      this.close();
    }
  }

  private async *blocks(): AsyncGenerator<string, void> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let pending = '';
    let hasBegun = false;
    for await (const chunk of this.response.body ?? []) {
      pending += decoder.decode(chunk as Uint8Array, { stream: true });
      if (!hasBegun && pending.startsWith('\n')) pending = pending.slice(1); // Nest begins with an empty line
      hasBegun = true;
      const blocks = pending.split('\n\n');
      pending = blocks.pop()!;
      yield* blocks;
    }
    if (pending !== '') throw new Error(`The stream broke off in ${JSON.stringify(pending)}`);
  }
}
