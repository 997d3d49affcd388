import { ServerStopped } from '../../kernel/server-stopped.js';
import { deciderOf } from '../../protocol/events.js';
import type { Decider } from '../../protocol/events.js';

/** The cause for a run to stop before its agent has returned. */
type StopCause =
  | { readonly kind: 'cancel'; readonly reason: string; readonly by: Decider }
  /** Work in progress has `grace_ms` to stop and to write its outcome. */
  | { readonly kind: 'shutdown'; readonly reason: ServerStopped; readonly grace_ms: number }
  | { readonly kind: 'lost' | 'parked' };

/** Shared by all runs: its stack would cost each of them more than its abort. */
const AGENT_RETURNED = new DOMException('The agent has returned.', 'AbortError');

/** Holds the cause for a run to stop. The first cause counts. */
export class RunStop {
  private readonly abort = new AbortController();
  private first: StopCause | undefined;
  private resolveRequested: () => void = () => {};
  /** Resolves when the run has to stop. */
  readonly requested = new Promise<void>((resolve) => {
    this.resolveRequested = resolve;
  });

  /** Aborts when the run has to stop, and when its agent is done. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  get cause(): StopCause | undefined {
    return this.first;
  }

  get isRequested(): boolean {
    return this.first !== undefined;
  }

  request(cause: StopCause): void {
    if (this.first) return;
    this.first = cause;
    if (cause.kind === 'shutdown') this.abort.abort(cause.reason);
    else if (!this.abort.signal.aborted) this.abort.abort();
    this.resolveRequested();
  }

  /** `userId`: null for the server itself. */
  cancel(reason: string, userId: string | null): void {
    this.request({ kind: 'cancel', reason, by: deciderOf(userId) });
  }

  shutDown(grace_ms: number): void {
    this.request({ kind: 'shutdown', reason: new ServerStopped(), grace_ms });
  }

  /** The agent has returned: aborts the work that it left running. */
  abortRest(): void {
    this.abort.abort(AGENT_RETURNED);
  }
}
