import { isDeepStrictEqual } from 'node:util';
import { SseParser } from '../../../client/sse.js';
import type { Frame } from '../../../client/sse.js';
import type { EventFrame } from '../../../client/strict-reader.js';

/**
 * One connection to a stream of events. Iterating it to its end closes it, and so does leaving the
 * loop.
 */
export class EventStream implements AsyncIterable<EventFrame> {
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
  async all(): Promise<EventFrame[]> {
    const frames: EventFrame[] = [];
    for await (const frame of this) frames.push(frame);
    return frames;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EventFrame, void> {
    const parser = new SseParser();
    try {
      for await (const block of this.blocks()) {
        const [frame] = parser.push(`${block}\n\n`);
        requireForm(block, frame);
        this.retry ??= parser.retry;
        if (frame) yield { ...frame, data: JSON.parse(frame.data) as EventFrame['data'] };
        else this.onHeartbeat();
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

/**
 * Stricter than a browser: a block is a comment, or has exactly one line each of `id`, `event` and
 * `data`, and maybe `retry`.
 * @throws Error with the block when it is neither
 */
function requireForm(block: string, frame: Frame | undefined): void {
  const lines = block
    .replace(/^retry: \d+\n/m, '')
    .split('\n')
    .toSorted();
  const { data, event, id } = frame ?? {};
  const isOurs = frame
    ? id !== '' && isDeepStrictEqual(lines, [`data: ${data}`, `event: ${event}`, `id: ${id}`])
    : lines.every((line) => line.startsWith(':'));
  if (isOurs) return;
  const shown = JSON.stringify(block.slice(0, 500));
  throw new Error(`Not what an event stream of ours may hold: ${shown}`);
}
