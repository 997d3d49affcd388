import type { Redis } from 'ioredis';

/** Names of channels and keys; several servers may share a Redis. */
export class Topics {
  /** Channel of all processes. */
  readonly wakes: string;
  /** Channel of all processes: new readers. */
  readonly readers: string;
  /** Channel of all processes: chats that have changed. */
  readonly changes: string;

  constructor(private readonly prefix: string) {
    this.wakes = `${prefix}wake`;
    this.readers = `${prefix}readers`;
    this.changes = `${prefix}changes`;
  }

  /** Begins all keys of an interaction; the braces keep them in one slot of a cluster. */
  key(interactionId: string): string {
    return `${this.prefix}live:{${interactionId}}`;
  }

  channel(interactionId: string): string {
    return `${this.prefix}frames:${interactionId}`;
  }

  /** Channel of one process, for messages to itself. */
  echo(sender: string): string {
    return `${this.prefix}echo:${sender}`;
  }

  interactionOf(channel: string): string {
    return channel.slice(this.channel('').length);
  }
}

/** The channels that this process subscribes to, with the number of their local subscribers. */
export class TopicSubscriptions {
  /** `ready` resolves when Redis has confirmed the subscription. */
  private readonly channels = new Map<string, { count: number; ready: Promise<unknown> }>();

  constructor(private readonly redis: Redis) {}

  add(channel: string): void {
    const known = this.channels.get(channel);
    if (known) known.count++;
    else this.channels.set(channel, { count: 1, ready: this.subscribe(channel) });
  }

  /** True when that was the last local subscriber. */
  remove(channel: string): boolean {
    const known = this.channels.get(channel);
    if (!known || --known.count > 0) return false;
    this.channels.delete(channel);
    void known.ready.then(() => this.unsubscribe(channel));
    return true;
  }

  /** Resolves when messages are received from now on, or Redis is unavailable. */
  async ready(channel: string): Promise<void> {
    await this.channels.get(channel)?.ready;
  }

  /** Subscribes again after a reconnection. */
  restore(): void {
    for (const [channel, known] of this.channels) known.ready = this.subscribe(channel);
  }

  has(channel: string): boolean {
    return this.channels.has(channel);
  }

  list(): readonly string[] {
    return [...this.channels.keys()];
  }

  /**
   * Not before the connection is ready: a subscribed one can't answer the ready check. `restore`
   * follows.
   */
  private async subscribe(channel: string): Promise<void> {
    if (this.redis.status === 'ready') await this.redis.subscribe(channel).catch(() => {});
  }

  /** Unless there is a new subscriber. */
  private async unsubscribe(channel: string): Promise<void> {
    if (!this.channels.has(channel)) await this.redis.unsubscribe(channel).catch(() => {});
  }
}
