import type { Delta, Trace } from '../../protocol/events.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';

/** What one run has to say to readers, in order: durable records that are committed, and deltas that never will be. */
export type FrameItem =
  | { readonly kind: 'record'; readonly record: LogRecord }
  | { readonly kind: 'delta'; readonly agent_id: string; readonly delta: Delta }
  | { readonly kind: 'trace'; readonly agent_id: string; readonly trace: Trace };

/** Frames of a run are numbered 1, 2, 3…; a follower that sees a number skipped re-reads store and snapshot. */
export interface Frame {
  readonly epoch: number;
  readonly number: number;
  readonly items: readonly FrameItem[];
}

/** Says that something after frame `number` may have been missed: as no frame has its number, whoever hears it reads what is there now. */
export function gapAfter({ epoch, number }: Pick<Frame, 'epoch' | 'number'>): Frame {
  return { epoch, number: Math.floor(number) + 0.5, items: [] };
}

/** A block that is still being generated, with all its text so far. */
export interface OpenBlock {
  readonly agent_id: string;
  readonly delta: Omit<Delta, 'offset' | 'delta'>;
  readonly text: string;
}

/** What a run has published so far: the state after frame `number`. */
export interface Snapshot {
  readonly epoch: number;
  readonly number: number;
  /** The last record that was published. */
  readonly seq: number;
  readonly blocks: readonly OpenBlock[];
}

export type FrameListener = (frame: Frame) => void;

/**
 * Port: carries live frames from the process that runs an interaction to those that have readers of it. It may drop or repeat frames;
 * followers repair that. Frames of an older epoch than the newest seen are not delivered.
 */
export abstract class LiveBus {
  /** Since when other processes are not heard; undefined: they are, or there are none. */
  abstract readonly awaySince: Date | undefined;
  abstract publish(interactionId: string, frame: Frame): void;
  /** The run is over: forget its open blocks. */
  abstract close(interactionId: string, epoch: number): void;
  /** Listens until the returned function is called. Listeners must not throw or block. */
  abstract subscribe(interactionId: string, listener: FrameListener): () => void;
  /** Once it is answered, whoever has subscribed before asking hears everything that it doesn't hold. */
  abstract snapshot(interactionId: string): Promise<Snapshot | undefined>;
  /** Tells whoever runs the interaction to look at its row again. */
  abstract wake(interactionId: string): void;
  abstract onWake(listener: (interactionId: string) => void): () => void;
  /** Tells other processes that somebody has come to read the interaction in this one. */
  abstract noteReader(interactionId: string): void;
  /** Hears of those that come in other processes. */
  abstract onReader(listener: (interactionId: string) => void): () => void;
  /** Whether anybody listens to it in another process; undefined: that can't be known now. */
  abstract isHeardElsewhere(interactionId: string): Promise<boolean | undefined>;
}
