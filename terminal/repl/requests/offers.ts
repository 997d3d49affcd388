import type { RequestState } from '../../../client/index.js';
import { MESSAGE, settleMode } from '../mode.js';
import type { Mode } from '../mode.js';

/** A request can be decided by a key once it has been shown for so long. */
const UNREAD_MS = 600;

/** Requests come up one after the other, each with time to read it. */
export class Offers {
  private readonly skipped = new Set<string>();
  /** The request that the mode is about, and since when it is shown. */
  private offered: { readonly id: string; readonly at: number } | undefined;

  /** @param changed is called when the keys of a request begin to decide */
  constructor(private readonly changed: () => void) {}

  /** The mode after something has happened. */
  settle(mode: Mode, pending: readonly RequestState[], hasDraft: boolean): Mode {
    const next = settleMode({ mode, pending, skipped: this.skipped, hasDraft });
    if ('request' in next) this.offer(next.request.id);
    return next;
  }

  isRead(mode: Mode): boolean {
    if (!('request' in mode)) return true;
    const { offered } = this;
    return offered?.id === mode.request.id && performance.now() - offered.at >= UNREAD_MS;
  }

  /** Another program had the terminal: keys that were meant for it decide nothing. */
  renew(): void {
    this.offered = undefined;
  }

  /** Looks at a request later; after the last one, at all of them again. */
  skip({ id }: RequestState, pending: readonly RequestState[]): Mode {
    this.skipped.add(id);
    if (pending.every((request) => this.skipped.has(request.id))) this.skipped.clear();
    return MESSAGE;
  }

  /** Forgets the skipped requests when another chat is shown. */
  clear(): void {
    this.skipped.clear();
  }

  /** Its keys are shown, and decide, a little later. */
  private offer(id: string): void {
    if (this.offered?.id === id) return;
    this.offered = { id, at: performance.now() };
    setTimeout(this.changed, UNREAD_MS + 1).unref();
  }
}
