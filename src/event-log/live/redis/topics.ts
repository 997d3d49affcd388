/** How what one Parley says in Redis is called: several may share a server. */
export class Topics {
  /** Everybody hears it. */
  readonly wakes: string;
  /** The same: who has come to read. */
  readonly readers: string;

  constructor(private readonly prefix: string) {
    this.wakes = `${prefix}wake`;
    this.readers = `${prefix}readers`;
  }

  /** All that is kept of an interaction begins with it; the braces keep it in one place. */
  key(interactionId: string): string {
    return `${this.prefix}live:{${interactionId}}`;
  }

  channel(interactionId: string): string {
    return `${this.prefix}frames:${interactionId}`;
  }

  interactionOf(channel: string): string {
    return channel.slice(this.channel('').length);
  }
}
