import type { Redis } from 'ioredis';
import { connectRedis, whenConnected } from '../../../redis/connect-redis.js';
import { findRedisFaults } from '../../../redis/redis-faults.js';
import { Refusals } from '../../../redis/redis-faults.js';

export interface RedisLinkOptions {
  readonly url: string;
  readonly report: (problem: string) => void;
}

/** The two connections of a live bus, one to speak and to ask with, one to listen with, and since when one of them is away. */
export class RedisLink {
  awaySince: Date | undefined = new Date();
  readonly voice: Redis;
  readonly ear: Redis;
  private lastError: string | undefined;
  private isClosed = false;
  private hasBeenThere = false;
  /** It was told that it is away. */
  private isMissed = false;
  /** Since it is there. */
  private readonly refusals: Refusals;
  private onThere: () => void = () => {};

  constructor(private readonly options: RedisLinkOptions) {
    this.refusals = new Refusals((message) =>
      options.report(`Redis refuses what it is asked for: ${message}`),
    );
    const onError = (error: Error): void => this.keep(error);
    this.voice = connectRedis(options.url, onError, { enableAutoPipelining: true });
    this.ear = connectRedis(options.url, onError, { autoResubscribe: false });
  }

  /** Calls `listener` whenever both are there: what is kept can be read, and what is said from now on is heard. */
  watch(listener: () => void): void {
    this.onThere = listener;
    for (const each of [this.voice, this.ear]) {
      each.on('ready', () => this.noteState());
      each.on('close', () => this.noteState());
    }
  }

  /** Resolves when both are connected, or that takes too long: they go on trying. */
  async opened(): Promise<void> {
    await whenConnected(this.voice, this.ear);
    if (this.awaySince) this.reportAway();
  }

  /** Of a command. */
  noteError(error: Error): void {
    this.keep(error);
    this.refusals.note(error);
  }

  /** To be called before the end, so that it is not reported. */
  part(): void {
    this.isClosed = true;
  }

  close(): void {
    this.voice.disconnect();
    this.ear.disconnect();
  }

  /** The address and its password are not in what is reported. */
  private keep(error: Error): void {
    this.lastError = error.message || (error as { code?: string }).code;
  }

  private reportFaults(): void {
    this.voice.info().then(
      (info) => findRedisFaults(info).forEach(this.options.report),
      (error: Error) => this.keep(error), // nobody needs it
    );
  }

  private noteState(): void {
    const isThere = this.voice.status === 'ready' && this.ear.status === 'ready';
    this.awaySince = isThere ? undefined : (this.awaySince ?? new Date());
    if (!isThere && this.hasBeenThere) this.reportAway();
    if (!isThere) return;
    if (this.isMissed) this.options.report('Redis is there again.');
    if (!this.hasBeenThere) this.reportFaults();
    this.refusals.clear();
    this.isMissed = false;
    this.hasBeenThere = true;
    this.onThere();
  }

  /** Once, until it is there again. */
  private reportAway(): void {
    if (this.isMissed || this.isClosed) return;
    this.isMissed = true;
    this.options.report(`Redis is away: ${this.lastError ?? 'it closed the connection'}.`);
  }
}
