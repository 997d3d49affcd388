import { randomUUID } from 'node:crypto';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Observable } from 'rxjs';
import { AppError } from '../../../kernel/app-error.js';
import type { LiveKeys } from '../../../encryption/live-keys.js';
import { LiveBus, gapAfter } from '../live-bus.js';
import type { ChatHint, Frame, OpenBlock, Snapshot } from '../live-bus.js';
import { LocalLiveBus } from '../local/local-live-bus.js';
import { FrameSender } from './frame-sender.js';
import { LiveScripts } from './live-scripts.js';
import type { StoredRun } from './live-scripts.js';
import { RedisLink } from './redis-link.js';
import type { RedisLinkOptions } from './redis-link.js';
import { SealedFrames } from './sealed-frames.js';
import { TopicSubscriptions, Topics } from './topic-subscriptions.js';

export interface RedisLiveBusOptions extends RedisLinkOptions {
  /** Prefix of all channels and keys. */
  readonly prefix: string;
  /** Encryption is on. */
  readonly keys?: LiveKeys | undefined;
}

/** The messages between processes, on several channels. */
interface Message {
  readonly sender: string;
  readonly id: string;
  readonly hint?: ChatHint;
  /** A string: sealed. */
  readonly frames: readonly Frame[] | string;
}

/** Time to live of the state of a run, should its process die and no other take over. */
const KEEP_MS = 24 * 60 * 60 * 1000;

/**
 * The live bus of many processes. Frames of the own process's runs are delivered directly, with or
 * without Redis, all others through it. The open blocks of a run are kept in Redis, so that readers
 * that join on another process get their text so far (I2).
 */
export class RedisLiveBus extends LiveBus implements OnApplicationShutdown {
  private readonly local = new LocalLiveBus();
  /** Identifies this process. */
  private readonly sender_id = randomUUID();
  private readonly topics: Topics;
  private readonly link: RedisLink;
  private readonly scripts: LiveScripts;
  private readonly sender: FrameSender;
  private readonly subscriptions: TopicSubscriptions;
  private readonly sealed: SealedFrames;
  /** Malformed messages are reported once. */
  private hasReportedGarbage = false;
  /** Epochs of the runs of this process. */
  private readonly running = new Map<string, number>();
  /** The last frames of other processes, by interaction. */
  private readonly lastFrames = new Map<string, Pick<Frame, 'epoch' | 'number'>>();
  private readonly readerListeners = new Set<(interactionId: string) => void>();

  /** Resolves when it is connected, or after a limit: it goes on trying. */
  static async open(options: RedisLiveBusOptions): Promise<RedisLiveBus> {
    const bus = new RedisLiveBus(options);
    await bus.link.opened();
    return bus;
  }

  private constructor(private readonly options: RedisLiveBusOptions) {
    super();
    this.topics = new Topics(options.prefix);
    this.sealed = new SealedFrames(options.keys);
    this.link = new RedisLink(options, this.topics.echo(this.sender_id));
    const { commands, subscriber } = this.link;
    this.scripts = new LiveScripts(commands, KEEP_MS);
    this.subscriptions = new TopicSubscriptions(subscriber);
    this.sender = new FrameSender({
      scripts: this.scripts,
      topics: this.topics,
      sealed: this.sealed,
      sender: this.sender_id,
      isReady: () => commands.status === 'ready',
      snapshot: (id) => this.local.snapshot(id),
      onError: (error) => this.link.noteError(error),
    });
    commands.on('ready', () => this.sender.restore(this.running));
    subscriber.on('ready', () => this.resubscribe());
    subscriber.on('message', (channel, message) => this.receive(channel, message));
    this.link.watch(() => this.signalGaps());
  }

  get refusedSince(): Date | undefined {
    return this.link.refusals.since;
  }

  get awaySince(): Date | undefined {
    return this.link.awaySince;
  }

  publish(interactionId: string, frame: Frame): void {
    // a run that lost its lease (I6)
    if (frame.epoch < (this.running.get(interactionId) ?? 0)) return;
    this.running.set(interactionId, frame.epoch);
    this.local.publish(interactionId, frame);
    this.sender.add(interactionId, frame);
  }

  begin(interactionId: string, epoch: number): void {
    if ((this.running.get(interactionId) ?? 0) >= epoch) this.running.delete(interactionId);
    this.local.begin(interactionId, epoch);
    this.scripts
      .begin(this.topics.key(interactionId), epoch)
      .catch((error: Error) => this.link.noteError(error));
  }

  open(interactionId: string, epoch: number): void {
    this.running.set(interactionId, epoch);
    this.local.open(interactionId, epoch);
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

  /** Undefined also while Redis is unavailable: the store has all records. */
  async snapshot(interactionId: string): Promise<Snapshot | undefined> {
    const epoch = this.running.get(interactionId);
    const own = epoch === undefined ? undefined : await this.local.snapshot(interactionId);
    if (own && own.epoch === epoch) return own;
    // no frame is lost between the snapshot and the first one
    await this.subscriptions.ready(this.topics.channel(interactionId));
    try {
      const run = await this.scripts.read(this.topics.key(interactionId));
      return run && this.toSnapshot(interactionId, run);
    } catch (error) {
      this.link.noteError(error as Error);
      return undefined;
    }
  }

  /** If the message is lost, those that follow the chat find out at their next comparison. */
  noteChange(hint: ChatHint): void {
    this.local.noteChange(hint);
    this.send(this.topics.changes, hint.chat_uid, hint);
  }

  onChange(listener: (hint: ChatHint | undefined) => void): () => void {
    return this.local.onChange(listener);
  }

  /** If the message is lost, the owner finds out when it renews its lease. */
  wake(interactionId: string): void {
    this.local.wake(interactionId);
    this.send(this.topics.wakes, interactionId);
  }

  onWake(listener: (interactionId: string) => void): () => void {
    return this.local.onWake(listener);
  }

  noteReader(interactionId: string): void {
    this.send(this.topics.readers, interactionId);
  }

  onReader(listener: (interactionId: string) => void): () => void {
    this.readerListeners.add(listener);
    return () => this.readerListeners.delete(listener);
  }

  /** Redis counts subscribed connections: one per process. */
  async hasReadersElsewhere(interactionId: string): Promise<boolean | undefined> {
    if (this.awaySince) return undefined;
    const channel = this.topics.channel(interactionId);
    const own = this.subscriptions.has(channel) ? 1 : 0;
    try {
      const [, count] = await this.link.commands.pubsub('NUMSUB', channel);
      return Number(count) > own;
    } catch (error) {
      this.link.noteError(error as Error);
      return undefined;
    }
  }

  /** Sends the last frames, then disconnects. */
  async onApplicationShutdown(): Promise<void> {
    this.link.expectClose();
    await this.sender.drained();
    this.link.close();
  }

  private send(channel: string, id: string, hint?: ChatHint): void {
    const message = JSON.stringify({ sender: this.sender_id, id, hint });
    this.link.commands
      .publish(channel, message)
      .catch((error: Error) => this.link.noteError(error));
  }

  private resubscribe(): void {
    const { wakes, readers, changes } = this.topics;
    this.link.subscriber
      .subscribe(wakes, readers, changes)
      .then(() => this.local.tellChange(undefined))
      .catch((error: Error) => this.link.noteError(error));
    this.subscriptions.restore();
  }

  private signalGaps(): void {
    for (const channel of this.subscriptions.list())
      void this.signalGap(this.topics.interactionOf(channel));
  }

  /** Frames may have been lost: followers re-read store and snapshot. Never rejects. */
  private async signalGap(interactionId: string): Promise<void> {
    if (this.running.has(interactionId)) return;
    await this.subscriptions.ready(this.topics.channel(interactionId));
    const last = this.lastFrames.get(interactionId);
    const now = await this.scripts.read(this.topics.key(interactionId)).catch(() => undefined);
    // Without a state, the run has not published yet, which will be received, or has ended.
    if (now) this.local.publish(interactionId, gapAfter({ ...now, number: now.number - 1 }));
    else if (last) this.local.publish(interactionId, gapAfter(last));
  }

  /** A malformed message must not end this process; followers detect a number that it skips. */
  private receive(channel: string, text: string): void {
    try {
      this.onMessage(channel, text);
    } catch (error) {
      const problem = `Ignored a malformed message on the Redis channel ${channel}; later ones are not reported.`;
      this.reportGarbage(`${problem} ${adviceFor(error)}`);
    }
  }

  private reportGarbage(problem: string): void {
    if (!this.hasReportedGarbage) this.options.report(problem);
    this.hasReportedGarbage = true;
  }

  private onMessage(channel: string, text: string): void {
    const message = JSON.parse(text) as Message;
    if (message.sender === this.sender_id) return;
    if (channel === this.topics.changes) return this.local.tellChange(message.hint);
    if (channel === this.topics.wakes) return this.local.wake(message.id);
    if (channel === this.topics.readers)
      return this.readerListeners.forEach((listener) => listener(message.id));
    if (!this.subscriptions.has(channel)) return;
    const id = this.topics.interactionOf(channel);
    for (const frame of this.sealed.openFrames(id, message.frames)) {
      this.lastFrames.set(id, { epoch: frame.epoch, number: frame.number });
      this.local.publish(id, frame);
    }
  }

  /** It has no subscriber in this process any more. */
  private forget(interactionId: string): void {
    this.lastFrames.delete(interactionId);
    if (!this.running.has(interactionId)) this.local.close(interactionId, Infinity);
  }

  private toSnapshot(id: string, { blocks, ...run }: StoredRun): Snapshot {
    const opened = blocks.map(({ about, text }) => {
      const block = JSON.parse(about) as Pick<OpenBlock, 'agent_id' | 'delta'>;
      return { ...block, text: this.sealed.openPieces(id, text, block.delta.block_id) };
    });
    return { ...run, blocks: opened };
  }
}

function adviceFor(error: unknown): string {
  return error instanceof AppError
    ? `${error.message} All processes need the same ENCRYPTION_KEYS.`
    : 'Give Parley a Redis of its own.';
}
