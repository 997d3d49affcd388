import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { SseResponse } from './sse-response.js';
import type { SseLimits } from './sse-response.js';

const LIMITS: SseLimits = { maxPending: 1024 * 1024, stallMs: 60_000 };
/** How long readers may take for what is left when the server stops, but never more than a part of the grace. */
const FAREWELL_MS = 1_000;

/** Every event stream that this process has open. One timer beats for all of them, every `HEARTBEAT_MS`. */
@Injectable()
export class SseStreams implements BeforeApplicationShutdown {
  private readonly streams = new Set<SseResponse>();
  private timer: NodeJS.Timeout | undefined;
  private stopping = false;

  constructor(private readonly config: Config) {}

  get count(): number {
    return this.streams.size;
  }

  open(response: ServerResponse, limits: SseLimits = LIMITS): SseResponse {
    const stream = new SseResponse(response, limits);
    this.streams.add(stream);
    this.timer ??= setInterval(() => this.beat(), this.config.heartbeatMs).unref();
    stream.onClose(() => this.remove(stream));
    if (this.stopping || response.req.method === 'HEAD') stream.end();
    return stream;
  }

  /** Ends what is open, so that the HTTP server can close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true; // who comes now is told to come back
    const open = [...this.streams];
    for (const stream of open) stream.end();
    const farewell_ms = Math.min(FAREWELL_MS, this.config.shutdownGraceMs / 5);
    const cutOff = setTimeout(() => open.forEach((stream) => stream.destroy()), farewell_ms);
    await Promise.all(open.map((stream) => new Promise<void>((done) => stream.onClose(done))));
    clearTimeout(cutOff);
  }

  private beat(): void {
    const now = performance.now();
    for (const stream of this.streams) stream.beat(now);
  }

  private remove(stream: SseResponse): void {
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
