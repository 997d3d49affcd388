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

export interface EnqueueOptions {
  /** What has begun already goes before what is new. Default `begun`. */
  readonly as?: 'begun' | 'new';
  /** `here`: no other process may be given it, because this one holds its lease, or has to know how it goes. */
  readonly to?: 'any' | 'here';
}

/** Port: hands interactions out to be run, each at most once at a time per process. Loss is repaired by the sweep. */
export abstract class RunQueue {
  /** Whether what is enqueued for this very process now is handed to it at once, so that it may take the lease beforehand. */
  abstract readonly isImmediate: boolean;
  /** How many wait in this process to be handed out. */
  abstract readonly queued: number;
  /** How many wait in this process, and in none: for any that has room. Never rejects. */
  abstract countWaiting(): Promise<number>;
  /** Sets who runs what is handed out; called once, or never by a process that runs nothing. */
  abstract start(handler: RunHandler): void;
  /** What waits already keeps its place. What runs is run once more when that is over. */
  abstract enqueue(interactionId: string, handing?: EnqueueOptions): void;
  /** Hands nothing out any more here; resolves when what runs has returned. */
  abstract stop(): Promise<void>;
}
