import { afterTick } from '../../../kernel/after-tick.js';
import { gapAfter } from '../live-bus.js';
import type { Frame, FrameItem, Snapshot } from '../live-bus.js';
import { changesOf, changesTo } from './block-changes.js';
import type { BlockChange, LiveScripts } from './live-scripts.js';
import type { Topics } from './topics.js';

/** Characters that wait for Redis; beyond that what is open is sent anew once it answers. */
const MAX_WAITING = 8_000_000;
/** How long to leave a Redis alone that refuses. */
const PAUSE_MS = 250;
/** Runs that ended while Redis was away, and are closed once it is back. */
const MAX_UNCLOSED = 20_000;

/** What one run has to say, until it is sent. */
interface Waiting {
  readonly id: string;
  readonly epoch: number;
  number: number;
  seq: number | undefined;
  changes: BlockChange[];
  frames: string[];
  closed: boolean;
}

export interface FrameSenderOptions {
  readonly scripts: LiveScripts;
  readonly topics: Topics;
  /** Names this process to itself. */
  readonly sender: string;
  readonly isReady: () => boolean;
  /** What a run of this process has published so far; undefined: it is over. */
  readonly snapshot: (interactionId: string) => Promise<Snapshot | undefined>;
  readonly onError: (error: Error) => void;
}

/**
 * Sends what the runs of this process say, in order: all that has come while the last batch was under way goes in the next one. What could
 * not be sent is made up for by a message that holds everything that is open.
 */
export class FrameSender {
  private waiting = new Map<string, Waiting>();
  private size = 0;
  /** Interactions of which something got lost on the way. */
  private readonly broken = new Map<string, number>();
  private sending: Promise<void> | undefined;

  constructor(private readonly options: FrameSenderOptions) {}

  add(interactionId: string, { epoch, number, items }: Frame): void {
    if (this.broken.has(interactionId)) return void this.broken.set(interactionId, epoch);
    const waiting = this.of(interactionId, epoch);
    waiting.number = number;
    for (const item of items) if (item.kind === 'record') waiting.seq = item.record.seq;
    waiting.changes.push(...changesOf(items));
    const text = JSON.stringify({ epoch, number, items: items.map(withoutHidden) });
    waiting.frames.push(text);
    this.size += text.length;
    if (this.size > MAX_WAITING) this.breakAll();
    this.sendLater();
  }

  close(interactionId: string, epoch: number): void {
    this.broken.delete(interactionId);
    this.of(interactionId, epoch).closed = true;
    this.sendLater();
  }

  /** Redis is there again, and may have forgotten everything. */
  restore(running: ReadonlyMap<string, number>): void {
    for (const [id, epoch] of running) this.broken.set(id, epoch);
    this.sendLater();
  }

  /** Resolves when all that waits was sent, or couldn't be. */
  async drained(): Promise<void> {
    await this.sending; // what is under way leaves behind what came meanwhile
    if (this.waiting.size > 0) this.send();
    await this.sending;
  }

  private of(interactionId: string, epoch: number): Waiting {
    const run = `${interactionId} ${epoch}`;
    const known = this.waiting.get(run);
    if (known) return known;
    const id = interactionId;
    const fresh = { id, epoch, number: 0, seq: undefined, changes: [], frames: [], closed: false };
    this.waiting.set(run, fresh);
    return fresh;
  }

  private sendLater(): void {
    afterTick(() => this.send());
  }

  private send(): void {
    if (this.sending || !this.options.isReady()) return;
    if (this.waiting.size === 0 && this.broken.size === 0) return;
    this.sending = this.sendAll().then((isSound) => {
      this.sending = undefined;
      if (isSound) this.sendLater();
      else setTimeout(() => this.send(), PAUSE_MS).unref();
    });
  }

  /** Answers whether all of it went well. */
  private async sendAll(): Promise<boolean> {
    const batch = this.waiting;
    const broken = [...this.broken];
    this.waiting = new Map();
    this.size = 0;
    const sent = [...batch.values()].map((waiting) => this.sendOne(waiting));
    const mended = broken.map(([id, epoch]) => this.mend(id, epoch));
    return (await Promise.all([...sent, ...mended])).every((isSound) => isSound);
  }

  private async sendOne(waiting: Waiting): Promise<boolean> {
    const { scripts, topics, sender } = this.options;
    const { id, epoch, number, seq, changes, frames, closed } = waiting;
    try {
      const message = `{"sender":"${sender}","frames":[${frames.join()}]}`;
      const channel = topics.channel(id);
      const told =
        frames.length === 0 ||
        scripts.publish(topics.key(id), { channel, epoch, number, seq, changes, message });
      const [isWhole] = await Promise.all([told, closed && scripts.close(topics.key(id), epoch)]);
      if (!isWhole && !closed) this.broken.set(id, epoch);
      return true;
    } catch (error) {
      this.options.onError(error as Error);
      this.lose(waiting);
      return false;
    }
  }

  /** Whoever has not heard the last frame reads what is there now. */
  private async mend(id: string, epoch: number): Promise<boolean> {
    const { scripts, topics, sender, snapshot } = this.options;
    this.broken.delete(id);
    const now = await snapshot(id);
    if (now?.epoch !== epoch) return true;
    const { number, seq, blocks } = now;
    const message = JSON.stringify({ sender, frames: [gapAfter({ epoch, number: number - 1 })] });
    const channel = topics.channel(id);
    const state = { channel, epoch, number, seq, changes: changesTo(blocks), message };
    try {
      await scripts.publish(topics.key(id), state);
      return true;
    } catch (error) {
      this.options.onError(error as Error);
      this.broken.set(id, epoch);
      return false;
    }
  }

  private breakAll(): void {
    const lost = this.waiting;
    this.waiting = new Map();
    this.size = 0;
    for (const waiting of lost.values()) this.lose(waiting);
  }

  /** What is over needs no more than to be closed; should even that be too much, it is gone by itself one day. */
  private lose({ id, epoch, closed }: Waiting): void {
    if (!closed) this.broken.set(id, epoch);
    else if (this.waiting.size < MAX_UNCLOSED) this.of(id, epoch).closed = true;
  }
}

/** What only the journal needs is in the store. */
function withoutHidden(item: FrameItem): FrameItem {
  return item.kind === 'record'
    ? { kind: 'record', record: { ...item.record, hidden: null } }
    : item;
}
