import { LiveBus } from '../live-bus.js';
import type { Frame, FrameListener, Snapshot } from '../live-bus.js';
import { OpenBlocks } from '../open-blocks.js';

interface Topic {
  readonly listeners: Set<FrameListener>;
  epoch: number;
  number: number;
  seq: number;
  blocks: OpenBlocks;
  /** Its run is over: nothing to keep once the last listener has left. */
  closed: boolean;
}

/** The live bus of a single process: a listener is called before `publish` returns. */
export class LocalLiveBus extends LiveBus {
  readonly awaySince = undefined;
  private readonly topics = new Map<string, Topic>();
  private readonly wakeListeners = new Set<(interactionId: string) => void>();

  publish(interactionId: string, frame: Frame): void {
    const topic = this.topic(interactionId);
    if (frame.epoch < topic.epoch) return; // a run that was lost goes on talking (I6)
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
    for (const listener of topic.listeners) listener(frame);
  }

  close(interactionId: string, epoch: number): void {
    const topic = this.topics.get(interactionId);
    if (!topic || topic.epoch > epoch) return;
    topic.blocks = new OpenBlocks();
    topic.closed = true;
    this.forgetIfIdle(interactionId, topic);
  }

  subscribe(interactionId: string, listener: FrameListener): () => void {
    const topic = this.topic(interactionId);
    topic.listeners.add(listener);
    return () => {
      topic.listeners.delete(listener);
      this.forgetIfIdle(interactionId, topic);
    };
  }

  snapshot(interactionId: string): Promise<Snapshot | undefined> {
    const topic = this.topics.get(interactionId);
    if (!topic || topic.epoch === 0) return Promise.resolve(undefined);
    const { epoch, number, seq, blocks } = topic;
    return Promise.resolve({ epoch, number, seq, blocks: blocks.list() });
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

  isHeardElsewhere(): Promise<boolean> {
    return Promise.resolve(false);
  }

  private forgetIfIdle(interactionId: string, topic: Topic): void {
    const idle = topic.listeners.size === 0 && (topic.closed || topic.epoch === 0);
    if (idle && this.topics.get(interactionId) === topic) this.topics.delete(interactionId);
  }

  private topic(interactionId: string): Topic {
    let topic = this.topics.get(interactionId);
    if (!topic) {
      topic = {
        listeners: new Set(),
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
