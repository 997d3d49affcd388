import type { Redis } from 'ioredis';
import { connectRedis, whenConnected } from '../../../redis/connect-redis.js';
import { Connections } from '../../../redis/connections.js';
import { findRedisFaults } from '../../../redis/redis-faults.js';
import { Refusals } from '../../../redis/redis-faults.js';

export interface RedisLinkOptions {
  readonly url: string;
  readonly report: (problem: string) => void;
}

/** Interval of messages to itself, and the time within which one arrives, in milliseconds. */
const ECHO_MS = 5_000;

/**
 * The two connections of a live bus: one for commands, one for subscriptions. After half a failover
 * they lead to different servers. Therefore the link sends messages to itself: one that is not
 * received counts as an outage until another is.
 */
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
  private lastEcho: 'pending' | 'published' | 'received' = 'received';
  private isListening = false;
  private isDeaf = false;
  private readonly echoes: NodeJS.Timeout;

  /** @param channel of this process only, for its messages to itself */
  constructor(
    private readonly options: RedisLinkOptions,
    private readonly channel: string,
  ) {
    this.refusals = new Refusals((message) =>
      options.report(`Redis rejected a command: ${message}`),
    );
    const onError = (error: Error): void => this.keep(error);
    this.commands = connectRedis(options.url, onError, { enableAutoPipelining: true });
    this.subscriber = connectRedis(options.url, onError, { autoResubscribe: false });
    this.commands.on('ready', () => this.sendEcho());
    this.subscriber
      .on('ready', () => void this.listen())
      .on('close', () => (this.isListening = false))
      .on('message', (from) => from === channel && this.receiveEcho());
    // reads first what arrived while the process was busy
    this.echoes = setInterval(() => setImmediate(() => this.checkEcho()), ECHO_MS).unref();
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
    clearInterval(this.echoes);
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

  private async listen(): Promise<void> {
    try {
      await this.subscriber.subscribe(this.channel);
      this.isListening = true;
      this.sendEcho();
    } catch (error) {
      this.refusals.note(error as Error);
    }
  }

  private sendEcho(): void {
    if (!this.isListening || this.commands.status !== 'ready') return;
    this.echoes.refresh();
    this.lastEcho = 'pending';
    this.commands.publish(this.channel, '{}').then(
      () => this.lastEcho === 'pending' && (this.lastEcho = 'published'),
      (error: Error) => this.refusals.note(error),
    );
  }

  private checkEcho(): void {
    if (!this.isListening || this.commands.status !== 'ready') return;
    if (this.lastEcho === 'published') this.noteDeafness();
    this.sendEcho();
  }

  private receiveEcho(): void {
    this.lastEcho = 'received';
    if (!this.isDeaf) return;
    this.isDeaf = false;
    this.noteState();
  }

  private noteDeafness(): void {
    const reason = 'published messages are not received';
    this.isDeaf = true;
    this.keep(new Error(reason));
    this.noteState();
    Connections.to(this.options.url).replace(reason);
  }

  private noteState(): void {
    const areReady = this.commands.status === 'ready' && this.subscriber.status === 'ready';
    const isConnected = areReady && !this.isDeaf;
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
