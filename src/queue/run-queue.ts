/**
 * Slot for one of the runs that a process may work on at once. A run that only waits for people
 * gives its slot back, and gets one ahead of new runs when it goes on.
 */
export interface RunSlot {
  /** The run only waits: others may work. */
  release(): void;
  /** Asks for it back. True: the run may go on. False: `onGranted` is called, once, when it may. */
  reclaim(onGranted: () => void): boolean;
  /** The run has gone on by itself: it counts again, even beyond the limit. */
  take(): void;
}

/** Executes one interaction until it ends, parks or loses its lease. Never rejects. */
export type RunHandler = (interactionId: string, slot: RunSlot) => Promise<void>;

export interface EnqueueOptions {
  /** Runs that have begun go before new ones. Default `resume`. */
  readonly priority?: 'resume' | 'new';
  /**
   * `local`: only this process may run it, because it holds the lease or watches its progress.
   * Default `any`.
   */
  readonly affinity?: 'any' | 'local';
}

/**
 * Port: hands interactions out to be run, each at most once at a time per process. The sweep
 * repairs losses.
 */
export abstract class RunQueue {
  /**
   * True when an interaction enqueued with local affinity runs at once, so that its lease may be
   * taken beforehand.
   */
  abstract readonly isImmediate: boolean;
  /** Time since which a shared queue refuses commands; undefined if it does not. */
  abstract readonly refusedSince: Date | undefined;
  /** Number of interactions that wait in this process. */
  abstract readonly queued: number;
  /** Number of interactions that wait in this process or for any. Never rejects. */
  abstract countWaiting(): Promise<number>;
  /**
   * Milliseconds since the one that waits longest was enqueued, among those of `countWaiting`; 0 if
   * none waits. Never rejects.
   */
  abstract longestWait(): Promise<number>;
  /** Sets the handler; called once, or never by a process that runs nothing. */
  abstract start(handler: RunHandler): void;
  /** A queued interaction keeps its place. A running one runs once more afterwards. */
  abstract enqueue(interactionId: string, options?: EnqueueOptions): void;
  /** Hands out nothing more here; resolves when the running ones have returned. */
  abstract stop(): Promise<void>;
}
