import { afterTick } from '../../../kernel/async/after-tick.js';
import { gapAfter } from '../live-bus.js';
import type { Frame, FrameItem, Snapshot } from '../live-bus.js';
import { changesOf, changesTo } from './live-scripts.js';
import type { BlockChange, LiveScripts, SealPiece } from './live-scripts.js';
import type { SealedFrames } from './sealed-frames.js';
import type { Topics } from './topic-subscriptions.js';

/**
 * Characters that may wait for Redis; beyond that the open blocks are sent anew once it answers.
 */
const MAX_WAITING = 8_000_000;
/** Pause after an error. */
const PAUSE_MS = 250;
/** Runs that ended while Redis was unavailable, and are closed once it is back. */
const MAX_UNCLOSED = 20_000;

/** Frames of one run that are not sent yet. */
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
  readonly sealed: SealedFrames;
  /** Identifies this process. */
  readonly sender: string;
  readonly isReady: () => boolean;
  /** The state of a run of this process; undefined: it is over. */
  readonly snapshot: (interactionId: string) => Promise<Snapshot | undefined>;
  readonly onError: (error: Error) => void;
}

/**
 * Sends the frames of this process's runs, in order: those that arrive while a batch is under way
 * go into the next one. Frames that could not be sent are replaced by the current state of their
 * run.
 */
export class FrameSender {
  private waiting = new Map<string, Waiting>();
  private size = 0;
  /** Interactions of which frames were lost, with the epoch of their run. */
  private readonly broken = new Map<string, number>();
  private sending: Promise<void> | undefined;

  constructor(private readonly options: FrameSenderOptions) {}

  add(interactionId: string, { epoch, number, items }: Frame): void {
    if (this.broken.has(interactionId)) return void this.broken.set(interactionId, epoch);
    const waiting = this.of(interactionId, epoch);
    waiting.number = number;
    for (const item of items) if (item.kind === 'record') waiting.seq = item.record.seq;
    waiting.changes.push(...changesOf(items, this.sealPieceOf(interactionId)));
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

  /** After a reconnection: Redis may have lost everything. */
  restore(running: ReadonlyMap<string, number>): void {
    for (const [id, epoch] of running) this.broken.set(id, epoch);
    this.sendLater();
  }

  /** Resolves when all waiting frames were sent, or could not be. */
  async drained(): Promise<void> {
    await this.sending; // frames that arrived meanwhile are left
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

  /** True when all were sent. */
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
    const { scripts, topics, sealed, sender } = this.options;
    const { id, epoch, number, seq, changes, frames, closed } = waiting;
    try {
      const message = `{"sender":"${sender}","frames":${sealed.sealFrames(id, `[${frames.join()}]`)}}`;
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

  /** Sends the current state; followers that lack the last frame read it. */
  private async mend(id: string, epoch: number): Promise<boolean> {
    const { scripts, topics, sender, snapshot } = this.options;
    this.broken.delete(id);
    const now = await snapshot(id);
    if (now?.epoch !== epoch) return true;
    const { number, seq, blocks } = now;
    const message = JSON.stringify({ sender, frames: [gapAfter({ epoch, number: number - 1 })] });
    const channel = topics.channel(id);
    const changes = changesTo(blocks, this.sealPieceOf(id));
    const state = { channel, epoch, number, seq, changes, message };
    try {
      await scripts.publish(topics.key(id), state);
      return true;
    } catch (error) {
      this.options.onError(error as Error);
      this.broken.set(id, epoch);
      return false;
    }
  }

  private sealPieceOf(id: string): SealPiece {
    return (text, ...place) => this.options.sealed.sealPiece(id, text, place);
  }

  private breakAll(): void {
    const lost = this.waiting;
    this.waiting = new Map();
    this.size = 0;
    for (const waiting of lost.values()) this.lose(waiting);
  }

  /** A run that is over only needs to be closed; beyond the limit, its state expires. */
  private lose({ id, epoch, closed }: Waiting): void {
    if (!closed) this.broken.set(id, epoch);
    else if (this.waiting.size < MAX_UNCLOSED) this.of(id, epoch).closed = true;
  }
}

/** Hidden parts are only for the journal, which reads the store. */
function withoutHidden(item: FrameItem): FrameItem {
  return item.kind === 'record'
    ? { kind: 'record', record: { ...item.record, hidden: null } }
    : item;
}
