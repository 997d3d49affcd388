import type { Redis } from 'ioredis';
import { connectRedis, whenConnected } from '../../../redis/connect-redis.js';
import { findRedisFaults } from '../../../redis/redis-faults.js';
import { Refusals } from '../../../redis/redis-faults.js';

export interface RedisLinkOptions {
  readonly url: string;
  readonly report: (problem: string) => void;
}

/** The two connections of a live bus: one for commands, one for subscriptions. */
export class RedisLink {
  awaySince: Date | undefined = new Date();
  readonly commands: Redis;
  readonly subscriber: Redis;
  private lastError: string | undefined;
  private isClosed = false;
  private hasConnected = false;
  private isLossReported = false;
  readonly refusals: Refusals;
  private onConnected: () => void = () => {};

  constructor(private readonly options: RedisLinkOptions) {
    this.refusals = new Refusals((message) =>
      options.report(`Redis rejected a command: ${message}`),
    );
    const onError = (error: Error): void => this.keep(error);
    this.commands = connectRedis(options.url, onError, { enableAutoPipelining: true });
    this.subscriber = connectRedis(options.url, onError, { autoResubscribe: false });
  }

  /** Calls `listener` whenever both are connected. */
  watch(listener: () => void): void {
    this.onConnected = listener;
    for (const each of [this.commands, this.subscriber]) {
      each.on('ready', () => this.noteState());
      each.on('close', () => this.noteState());
    }
  }

  /** Resolves when both are connected, or after a limit: they go on trying. */
  async opened(): Promise<void> {
    await whenConnected(this.commands, this.subscriber);
    if (this.awaySince) this.reportLoss();
  }

  /** The error of a command. */
  noteError(error: Error): void {
    this.keep(error);
    this.refusals.note(error);
  }

  /** Before `close`: its disconnection is not reported. */
  expectClose(): void {
    this.isClosed = true;
  }

  close(): void {
    this.commands.disconnect();
    this.subscriber.disconnect();
  }

  /** Without the address and its password. */
  private keep(error: Error): void {
    this.lastError = error.message || (error as { code?: string }).code;
  }

  private reportFaults(): void {
    this.commands.info().then(
      (info) => findRedisFaults(info).forEach(this.options.report),
      (error: Error) => this.keep(error), // the check is not needed
    );
  }

  private noteState(): void {
    const isConnected = this.commands.status === 'ready' && this.subscriber.status === 'ready';
    this.awaySince = isConnected ? undefined : (this.awaySince ?? new Date());
    if (!isConnected && this.hasConnected) this.reportLoss();
    if (!isConnected) return;
    if (this.isLossReported) this.options.report('Reconnected to Redis.');
    if (!this.hasConnected) this.reportFaults();
    this.refusals.clear();
    this.isLossReported = false;
    this.hasConnected = true;
    this.onConnected();
  }

  /** Once per outage. */
  private reportLoss(): void {
    if (this.isLossReported || this.isClosed) return;
    this.isLossReported = true;
    this.options.report(`Redis connection lost: ${this.lastError ?? 'it closed the connection'}.`);
  }
}
