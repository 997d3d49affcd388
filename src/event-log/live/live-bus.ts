import type { Observable } from 'rxjs';
import type { Delta, Trace } from '../../protocol/events.js';
import type { ChatState } from '../../persistence/rows/chat-state.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';

/**
 * An item of a run's output, in order: a committed record, or a delta or trace, which are never
 * stored.
 */
export type FrameItem =
  | { readonly kind: 'record'; readonly record: LogRecord }
  | { readonly kind: 'delta'; readonly agent_id: string; readonly delta: Delta }
  | { readonly kind: 'trace'; readonly agent_id: string; readonly trace: Trace };

/**
 * Frames of a run are numbered 1, 2, 3…; a follower that sees a number skipped re-reads store and
 * snapshot.
 */
export interface Frame {
  readonly epoch: number;
  readonly number: number;
  readonly items: readonly FrameItem[];
}

/**
 * Signals that frames after `number` may have been lost: as no frame has its number, followers
 * re-read store and snapshot.
 */
export function gapAfter({ epoch, number }: Pick<Frame, 'epoch' | 'number'>): Frame {
  return { epoch, number: Math.floor(number) + 0.5, items: [] };
}

/** A block that is still being generated, with all its text so far. */
export interface OpenBlock {
  readonly agent_id: string;
  readonly delta: Omit<Delta, 'offset' | 'delta'>;
  readonly text: string;
}

/** The state of a run after its frame `number`. */
export interface Snapshot {
  readonly epoch: number;
  readonly number: number;
  /** The last record that was published. */
  readonly seq: number;
  readonly blocks: readonly OpenBlock[];
}

/** Says that a chat has changed; the store knows how. */
export interface ChatHint {
  readonly chat_uid: string;
  /** Undefined: only its task board has changed. */
  readonly tenant_id?: string;
  /** Its state before it was deleted, or before others saw it. */
  readonly was?: Pick<ChatState, 'id' | 'owner' | 'visibility'>;
}

/**
 * Port: carries live frames from the process that runs an interaction to those that have readers of
 * it. It may drop or repeat frames; followers repair that. Frames of an older epoch than the newest
 * seen are not delivered.
 */
export abstract class LiveBus {
  /**
   * Time since which other processes are unreachable; undefined if they are reachable, or there are
   * none.
   */
  abstract readonly awaySince: Date | undefined;
  /** Time since which commands to other processes are refused; undefined if they are not. */
  abstract readonly refusedSince: Date | undefined;
  abstract publish(interactionId: string, frame: Frame): void;
  /**
   * A run begins: forgets what it knows of runs with its epoch or a later one. There are such only
   * if the store has lost their leases in a failover.
   */
  abstract begin(interactionId: string, epoch: number): void;
  /** The first run of an interaction begins: record 1 is saved, and nothing was published yet. */
  abstract open(interactionId: string, epoch: number): void;
  /** The run is over: forgets its open blocks. */
  abstract close(interactionId: string, epoch: number): void;
  /**
   * Emits while it is subscribed to; never completes or fails. Observers must not throw or block.
   */
  abstract frames(interactionId: string): Observable<Frame>;
  /** Once it resolves, earlier subscribers of `frames` get every frame that it does not include. */
  abstract snapshot(interactionId: string): Promise<Snapshot | undefined>;
  /** Tells all processes, this one included, that a chat has changed; after the commit. */
  abstract noteChange(hint: ChatHint): void;
  /** Undefined: hints may have been lost. */
  abstract onChange(listener: (hint: ChatHint | undefined) => void): () => void;
  /** Tells the process that runs the interaction to read its row again. */
  abstract wake(interactionId: string): void;
  abstract onWake(listener: (interactionId: string) => void): () => void;
  /** Tells other processes that this one has a reader of the interaction now. */
  abstract noteReader(interactionId: string): void;
  /** Interactions that have a new reader in another process. */
  abstract onReader(listener: (interactionId: string) => void): () => void;
  /** True when another process has readers of it; undefined: unknown at the moment. */
  abstract hasReadersElsewhere(interactionId: string): Promise<boolean | undefined>;
}
