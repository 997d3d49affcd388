/** Executes one interaction until it ends, waits or is lost. Never rejects. */
export type RunHandler = (interactionId: string) => Promise<void>;

/** Port: hands interactions out to be run, each at most once at a time per process. Loss is repaired by the sweep. */
export abstract class RunQueue {
  /** Whether what is enqueued now is handed to this very process at once, so that it may take the lease beforehand. */
  abstract readonly isImmediate: boolean;
  /** Sets who runs what is handed out; called once, before the first `enqueue`. */
  abstract start(handler: RunHandler): void;
  abstract enqueue(interactionId: string): void;
  /** Hands nothing out any more; resolves when what runs has returned. */
  abstract stop(): Promise<void>;
}
