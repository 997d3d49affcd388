import type { Redis } from 'ioredis';

/** The channels that somebody in this process listens to. */
export class TopicSubscriptions {
  /** How many listen, and when Redis has heard of it. */
  private readonly channels = new Map<string, { count: number; ready: Promise<unknown> }>();

  constructor(private readonly redis: Redis) {}

  add(channel: string): void {
    const known = this.channels.get(channel);
    if (known) known.count++;
    else this.channels.set(channel, { count: 1, ready: this.subscribe(channel) });
  }

  /** Answers whether nobody listens any more. */
  remove(channel: string): boolean {
    const known = this.channels.get(channel);
    if (!known || --known.count > 0) return false;
    this.channels.delete(channel);
    void known.ready.then(() => this.unsubscribe(channel));
    return true;
  }

  /** Resolves when what is said from now on is heard, or Redis is away. */
  async ready(channel: string): Promise<void> {
    await this.channels.get(channel)?.ready;
  }

  /** Redis is there again, and has forgotten who listens. */
  restore(): void {
    for (const [channel, known] of this.channels) known.ready = this.subscribe(channel);
  }

  has(channel: string): boolean {
    return this.channels.has(channel);
  }

  list(): readonly string[] {
    return [...this.channels.keys()];
  }

  /** Not before the connection is ready: one that listens can't be asked whether it is, and would be given up. `restore` comes. */
  private async subscribe(channel: string): Promise<void> {
    if (this.redis.status === 'ready') await this.redis.subscribe(channel).catch(() => {});
  }

  /** Unless somebody has come back. */
  private async unsubscribe(channel: string): Promise<void> {
    if (!this.channels.has(channel)) await this.redis.unsubscribe(channel).catch(() => {});
  }
}
