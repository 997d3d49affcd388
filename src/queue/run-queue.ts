/**
 * What a run holds of its process while it works: one of as many as may work at once. A run that only waits for people doesn't need
 * one, and gets it back ahead of new work.
 */
export interface Slot {
  /** Lets others work: the run only waits. */
  release(): void;
  /** Asks for it back. True: the run may go on. False: `onGranted` is called, once, when it may. */
  reclaim(onGranted: () => void): boolean;
  /** The run has gone on by itself: it counts again, whether or not there is room. */
  take(): void;
}

/** Executes one interaction until it ends, waits or is lost. Never rejects. */
export type RunHandler = (interactionId: string, slot: Slot) => Promise<void>;

/** Port: hands interactions out to be run, each at most once at a time per process. Loss is repaired by the sweep. */
export abstract class RunQueue {
  /** Whether what is enqueued now is handed to this very process at once, so that it may take the lease beforehand. */
  abstract readonly isImmediate: boolean;
  /** How many wait here to be handed out. */
  abstract readonly queued: number;
  /** Sets who runs what is handed out; called once, before the first `enqueue`. */
  abstract start(handler: RunHandler): void;
  /** What has begun already goes before what is new. What waits here already keeps its place. */
  abstract enqueue(interactionId: string, as?: 'begun' | 'new'): void;
  /** Hands nothing out any more; resolves when what runs has returned. */
  abstract stop(): Promise<void>;
}
