import { randomUUID } from 'node:crypto';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Observable } from 'rxjs';
import { LiveBus, gapAfter } from '../live-bus.js';
import type { Frame, OpenBlock, Snapshot } from '../live-bus.js';
import { LocalLiveBus } from '../local/local-live-bus.js';
import { FrameSender } from './frame-sender.js';
import { LiveScripts } from './live-scripts.js';
import type { StoredRun } from './live-scripts.js';
import { RedisLink } from './redis-link.js';
import type { RedisLinkOptions } from './redis-link.js';
import { TopicSubscriptions } from './topic-subscriptions.js';
import { Topics } from './topics.js';

export interface RedisLiveBusOptions extends RedisLinkOptions {
  /** What everything that is said and kept in Redis begins with. */
  readonly prefix: string;
}

/** What nobody has closed, because its process died and no other took over, is gone after that. */
const KEEP_MS = 24 * 60 * 60 * 1000;

/**
 * The live bus of many processes. Listeners hear the runs of their own process directly, whether Redis is there or not, and all others
 * through it; what is open of a run is kept in Redis, so that whoever joins elsewhere gets its text so far (I2).
 */
export class RedisLiveBus extends LiveBus implements OnApplicationShutdown {
  private readonly local = new LocalLiveBus();
  private readonly me = randomUUID();
  private readonly topics: Topics;
  private readonly link: RedisLink;
  private readonly scripts: LiveScripts;
  private readonly sender: FrameSender;
  private readonly subscriptions: TopicSubscriptions;
  /** Something else than this server speaks on its channels. */
  private isConfused = false;
  /** Epochs of the runs of this process. */
  private readonly running = new Map<string, number>();
  /** The last frames of other processes, by interaction. */
  private readonly heard = new Map<string, Pick<Frame, 'epoch' | 'number'>>();
  private readonly readerListeners = new Set<(interactionId: string) => void>();

  /** Resolves when it is connected, or that takes too long: it goes on trying. */
  static async open(options: RedisLiveBusOptions): Promise<RedisLiveBus> {
    const bus = new RedisLiveBus(options);
    await bus.link.opened();
    return bus;
  }

  private constructor(private readonly options: RedisLiveBusOptions) {
    super();
    this.topics = new Topics(options.prefix);
    this.link = new RedisLink(options);
    const { voice, ear } = this.link;
    this.scripts = new LiveScripts(voice, KEEP_MS);
    this.subscriptions = new TopicSubscriptions(ear);
    this.sender = new FrameSender({
      scripts: this.scripts,
      topics: this.topics,
      sender: this.me,
      isReady: () => voice.status === 'ready',
      snapshot: (id) => this.local.snapshot(id),
      onError: (error) => this.link.noteError(error),
    });
    voice.on('ready', () => this.sender.restore(this.running));
    ear.on('ready', () => this.listenAgain());
    ear.on('message', (channel, message) => this.hear(channel, message));
    this.link.watch(() => this.lookAgain());
  }

  get awaySince(): Date | undefined {
    return this.link.awaySince;
  }

  publish(interactionId: string, frame: Frame): void {
    if (frame.epoch < (this.running.get(interactionId) ?? 0)) return; // a run that was lost goes on talking (I6)
    this.running.set(interactionId, frame.epoch);
    this.local.publish(interactionId, frame);
    this.sender.add(interactionId, frame);
  }

  close(interactionId: string, epoch: number): void {
    if (this.running.get(interactionId) === epoch) this.running.delete(interactionId);
    this.local.close(interactionId, epoch);
    this.sender.close(interactionId, epoch);
  }

  frames(interactionId: string): Observable<Frame> {
    return new Observable((reader) => {
      const channel = this.topics.channel(interactionId);
      const subscription = this.local.frames(interactionId).subscribe(reader);
      this.subscriptions.add(channel);
      return () => {
        if (this.subscriptions.remove(channel)) this.forget(interactionId);
        subscription.unsubscribe();
      };
    });
  }

  /** Undefined also while Redis is away: the store has what is durable. */
  async snapshot(interactionId: string): Promise<Snapshot | undefined> {
    const epoch = this.running.get(interactionId);
    const own = epoch === undefined ? undefined : await this.local.snapshot(interactionId);
    if (own && own.epoch === epoch) return own;
    await this.subscriptions.ready(this.topics.channel(interactionId)); // nothing is said between the snapshot and the first frame
    try {
      const run = await this.scripts.read(this.topics.key(interactionId));
      return run && toSnapshot(run);
    } catch (error) {
      this.link.noteError(error as Error);
      return undefined;
    }
  }

  /** Whoever isn't told finds out when it renews its lease. */
  wake(interactionId: string): void {
    this.local.wake(interactionId);
    this.tell(this.topics.wakes, interactionId);
  }

  onWake(listener: (interactionId: string) => void): () => void {
    return this.local.onWake(listener);
  }

  noteReader(interactionId: string): void {
    this.tell(this.topics.readers, interactionId);
  }

  onReader(listener: (interactionId: string) => void): () => void {
    this.readerListeners.add(listener);
    return () => this.readerListeners.delete(listener);
  }

  /** Redis counts connections, and each process listens with one. */
  async hasReadersElsewhere(interactionId: string): Promise<boolean | undefined> {
    if (this.awaySince) return undefined;
    const channel = this.topics.channel(interactionId);
    const own = this.subscriptions.has(channel) ? 1 : 0;
    try {
      const [, count] = await this.link.voice.pubsub('NUMSUB', channel);
      return Number(count) > own;
    } catch (error) {
      this.link.noteError(error as Error);
      return undefined;
    }
  }

  /** What was said is on its way; nothing more is heard. */
  async onApplicationShutdown(): Promise<void> {
    this.link.part();
    await this.sender.drained();
    this.link.close();
  }

  private tell(channel: string, id: string): void {
    const message = JSON.stringify({ sender: this.me, id });
    this.link.voice.publish(channel, message).catch((error: Error) => this.link.noteError(error));
  }

  private listenAgain(): void {
    const { wakes, readers } = this.topics;
    this.link.ear.subscribe(wakes, readers).catch((error: Error) => this.link.noteError(error));
    this.subscriptions.restore();
  }

  private lookAgain(): void {
    for (const channel of this.subscriptions.list())
      void this.skip(this.topics.interactionOf(channel));
  }

  /** Something may have been missed: listeners look. Never rejects. */
  private async skip(interactionId: string): Promise<void> {
    if (this.running.has(interactionId)) return;
    await this.subscriptions.ready(this.topics.channel(interactionId));
    const last = this.heard.get(interactionId);
    const now = await this.scripts.read(this.topics.key(interactionId)).catch(() => undefined);
    // What is there now may be what listeners know already. If nothing is, its run has yet to tell, which is heard, or has ended.
    if (now) this.local.publish(interactionId, gapAfter({ ...now, number: now.number - 1 }));
    else if (last) this.local.publish(interactionId, gapAfter(last));
  }

  /** Whoever may speak here, what makes no sense is not heard: it must not end this process. A number that is skipped by it is noticed. */
  private hear(channel: string, text: string): void {
    try {
      this.onMessage(channel, text);
    } catch {
      if (!this.isConfused)
        this.options.report(
          `A message of Redis on ${channel} could not be read, and no more are told of. Give Parley a Redis of its own.`,
        );
      this.isConfused = true;
    }
  }

  private onMessage(channel: string, text: string): void {
    const message = JSON.parse(text) as { sender: string; id: string; frames: readonly Frame[] };
    if (message.sender === this.me) return;
    if (channel === this.topics.wakes) return this.local.wake(message.id);
    if (channel === this.topics.readers)
      return this.readerListeners.forEach((listener) => listener(message.id));
    if (!this.subscriptions.has(channel)) return;
    const id = this.topics.interactionOf(channel);
    for (const frame of message.frames) {
      this.heard.set(id, { epoch: frame.epoch, number: frame.number });
      this.local.publish(id, frame);
    }
  }

  /** Nobody here listens to it any more. */
  private forget(interactionId: string): void {
    this.heard.delete(interactionId);
    if (!this.running.has(interactionId)) this.local.close(interactionId, Infinity);
  }
}

function toSnapshot({ blocks, ...run }: StoredRun): Snapshot {
  return { ...run, blocks: blocks.map(({ about, text }) => toBlock(about, text)) };
}

function toBlock(about: string, text: string): OpenBlock {
  return { ...(JSON.parse(about) as Pick<OpenBlock, 'agent_id' | 'delta'>), text };
}
