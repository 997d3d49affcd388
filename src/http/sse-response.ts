import type { ServerResponse } from 'node:http';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
};
/** How long a reader that lost the connection waits before it comes back, in milliseconds. */
const RETRY = 'retry: 1000\n\n';
const HEARTBEAT = ':\n\n';
/** Idle time after which TCP asks whether the other side is still there, in milliseconds. */
const KEEP_ALIVE_MS = 30_000;

export interface SseLimits {
  /** What may be waiting for the reader before a write, besides one large write; node counts bytes, or characters of strings it holds. */
  readonly maxPending: number;
  /** How long a reader may leave node's buffer full, or take for the end of the stream. */
  readonly stallMs: number;
}

/**
 * A response that is a stream of events, begun by its first use. A reader that doesn't keep up is disconnected (I10): it comes back with
 * its cursor. It can end in many ways, all of which end in `onClose`.
 */
export class SseResponse {
  private hasBegun = false;
  private hasEnded = false;
  private hasClosed: boolean;
  /** When the reader was first found not to take what we have; undefined while it does. */
  private stuckSince: number | undefined;
  /** The largest write since the reader last had everything: one record may be larger than what may wait. */
  private largestWrite = 0;
  private readonly closeListeners: (() => void)[] = [];
  private drainWaiters: (() => void)[] = [];

  constructor(
    private readonly response: ServerResponse,
    private readonly limits: SseLimits,
  ) {
    this.hasClosed = response.closed || response.destroyed;
    response.on('drain', () => this.onDrain());
    response.once('close', () => this.settle());
    // A write that the reader's leaving overtook; 'close' says all there is to say.
    response.on('error', () => {});
  }

  /** Nothing can be sent any more. */
  get isOver(): boolean {
    return this.hasEnded || this.hasClosed || this.response.destroyed;
  }

  /** Sends the headers at once, so that the reader knows that it is connected. */
  open(): void {
    if (!this.hasBegun && !this.isOver) this.response.write(this.begin());
  }

  /** Sends frames that are already formatted. False: wait for `drained()` before the next, or see `isOver`. */
  send(frames: string): boolean {
    if (this.isOver) return false;
    if (this.response.writableLength > this.limits.maxPending + this.largestWrite) {
      this.destroy();
      return false;
    }
    this.largestWrite = Math.max(this.largestWrite, frames.length);
    return this.response.write(this.hasBegun ? frames : this.begin() + frames);
  }

  /** Resolves when the reader has taken what was sent, or is gone. */
  drained(): Promise<void> {
    if (this.isOver || !this.response.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => this.drainWaiters.push(resolve));
  }

  /** Called once, however the stream ends; at once if it has. */
  onClose(listener: () => void): void {
    if (this.hasClosed) listener();
    else this.closeListeners.push(listener);
  }

  /** Ends the stream after what was sent. */
  end(): void {
    if (this.isOver) return;
    this.open();
    this.hasEnded = true;
    this.response.end();
  }

  /** Cuts the reader off; what it hasn't taken is dropped. */
  destroy(): void {
    this.response.destroy();
  }

  /** Keeps the connection busy, or gives up on a reader that takes nothing. `now` is monotonic, in milliseconds. */
  beat(now: number): void {
    if (!this.hasBegun || this.hasClosed) return;
    if (!this.hasEnded && !this.response.writableNeedDrain) {
      this.stuckSince = undefined;
      if (this.response.writableLength === 0) this.response.write(HEARTBEAT);
      return;
    }
    this.stuckSince ??= now;
    if (now - this.stuckSince >= this.limits.stallMs) this.destroy();
  }

  private begin(): string {
    this.hasBegun = true;
    this.response.writeHead(200, HEADERS);
    this.response.socket?.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    return RETRY;
  }

  private onDrain(): void {
    this.stuckSince = undefined;
    this.largestWrite = 0;
    const waiters = this.drainWaiters;
    this.drainWaiters = [];
    for (const resolve of waiters) resolve();
  }

  private settle(): void {
    this.hasClosed = true;
    this.onDrain();
    for (const listener of this.closeListeners.splice(0)) listener();
  }
}
