import { Observable, Subject } from 'rxjs';
import { LiveBus } from '../live-bus.js';
import type { ChatHint, Frame, Snapshot } from '../live-bus.js';
import { OpenBlocks } from '../open-blocks.js';

interface Topic {
  readonly frames: Subject<Frame>;
  epoch: number;
  number: number;
  seq: number;
  blocks: OpenBlocks;
  /** Its run is over: the topic is removed with its last subscriber. */
  closed: boolean;
}

/**
 * The live bus of a single process: one Subject per interaction, delivered before `publish`
 * returns.
 */
export class LocalLiveBus extends LiveBus {
  readonly awaySince = undefined;
  readonly refusedSince = undefined;
  private readonly topics = new Map<string, Topic>();
  private readonly changeListeners = new Set<(hint: ChatHint | undefined) => void>();
  private readonly wakeListeners = new Set<(interactionId: string) => void>();

  publish(interactionId: string, frame: Frame): void {
    const topic = this.topic(interactionId);
    if (frame.epoch < topic.epoch) return; // a run that lost its lease (I6)
    if (frame.epoch > topic.epoch) {
      topic.epoch = frame.epoch;
      topic.blocks = new OpenBlocks();
      topic.closed = false;
    }
    topic.number = frame.number;
    for (const item of frame.items) {
      if (item.kind === 'record') topic.seq = item.record.seq;
      topic.blocks.apply(item);
    }
    topic.frames.next(frame);
  }

  begin(interactionId: string, epoch: number): void {
    const topic = this.topics.get(interactionId);
    if (topic && topic.epoch >= epoch)
      Object.assign(topic, { epoch: 0, number: 0, seq: 0, blocks: new OpenBlocks() });
  }

  open(interactionId: string, epoch: number): void {
    Object.assign(this.topic(interactionId), { epoch, seq: 1 });
  }

  close(interactionId: string, epoch: number): void {
    const topic = this.topics.get(interactionId);
    if (!topic || topic.epoch > epoch) return;
    topic.blocks = new OpenBlocks();
    topic.closed = true;
    this.forgetIfIdle(interactionId, topic);
  }

  frames(interactionId: string): Observable<Frame> {
    return new Observable((reader) => {
      const topic = this.topic(interactionId);
      const subscription = topic.frames.subscribe(reader);
      return () => {
        subscription.unsubscribe();
        this.forgetIfIdle(interactionId, topic);
      };
    });
  }

  snapshot(interactionId: string): Promise<Snapshot | undefined> {
    const topic = this.topics.get(interactionId);
    if (!topic || topic.epoch === 0) return Promise.resolve(undefined);
    const { epoch, number, seq, blocks } = topic;
    return Promise.resolve({ epoch, number, seq, blocks: blocks.list() });
  }

  noteChange(hint: ChatHint): void {
    this.tellChange(hint);
  }

  /** Reports a change by another process; undefined: some may have been lost. */
  tellChange(hint: ChatHint | undefined): void {
    for (const listener of this.changeListeners) listener(hint);
  }

  onChange(listener: (hint: ChatHint | undefined) => void): () => void {
    this.changeListeners.add(listener);
    return () => this.changeListeners.delete(listener);
  }

  wake(interactionId: string): void {
    for (const listener of this.wakeListeners) listener(interactionId);
  }

  onWake(listener: (interactionId: string) => void): () => void {
    this.wakeListeners.add(listener);
    return () => this.wakeListeners.delete(listener);
  }

  noteReader(): void {}

  onReader(): () => void {
    return () => {};
  }

  hasReadersElsewhere(): Promise<boolean> {
    return Promise.resolve(false);
  }

  private forgetIfIdle(interactionId: string, topic: Topic): void {
    const idle = !topic.frames.observed && (topic.closed || topic.epoch === 0);
    if (idle && this.topics.get(interactionId) === topic) this.topics.delete(interactionId);
  }

  private topic(interactionId: string): Topic {
    let topic = this.topics.get(interactionId);
    if (!topic) {
      topic = {
        frames: new Subject(),
        epoch: 0,
        number: 0,
        seq: 0,
        blocks: new OpenBlocks(),
        closed: false,
      };
      this.topics.set(interactionId, topic);
    }
    return topic;
  }
}
