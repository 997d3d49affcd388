import type { Observable, Observer } from 'rxjs';
import type { Backlog } from '../kernel/async/backlog.js';
import type { FollowedEvent } from '../event-log/follow/follower.js';
import { parseCursor } from '../protocol/cursor.js';
import type { Cursor } from '../protocol/cursor.js';

/** Events that wait for a slow reader. Those after them are read from the log again. */
export const MAX_WAITING = 1_000;

export interface Following {
  readonly from: Cursor;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
  readonly open: (from: Cursor, backlog: Backlog) => Observable<FollowedEvent>;
}

/** Events as an iteration, of which at most `MAX_WAITING` are in memory. */
export async function* followEvents(following: Following): AsyncGenerator<FollowedEvent, void> {
  const { signal, open } = following;
  for (let from: Cursor | undefined = following.from; from;) {
    let last = '';
    const inbox = new Inbox();
    const stop = (): void => inbox.stop();
    signal.addEventListener('abort', stop);
    const subscription = open(from, inbox).subscribe(inbox);
    if (signal.aborted) stop();
    try {
      for (let event = await inbox.take(); event; event = await inbox.take()) {
        last = event.cursor;
        yield event;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      subscription.unsubscribe();
      inbox.stop();
    }
    from = inbox.hasOverflowed && !signal.aborted ? parseCursor(last) : undefined;
  }
}

/** The events that a reader has not taken yet. */
class Inbox implements Backlog, Observer<FollowedEvent> {
  /** It has refused an event, and takes no other. */
  hasOverflowed = false;
  private readonly waiting: FollowedEvent[] = [];
  private isOver = false;
  private fault: { readonly error: unknown } | undefined;
  private notify = (): void => {};

  get isFull(): boolean {
    return this.waiting.length > MAX_WAITING / 4;
  }

  next(event: FollowedEvent): void {
    if (this.isOver) return;
    this.hasOverflowed ||= this.waiting.length >= MAX_WAITING;
    if (this.hasOverflowed) return;
    this.waiting.push(event);
    this.notify();
  }

  error(error: unknown): void {
    this.fault = { error };
    this.complete();
  }

  complete(): void {
    this.isOver = true;
    this.notify();
  }

  /** Drops what was not taken. */
  stop(): void {
    this.waiting.length = 0;
    this.complete();
  }

  /** Undefined after the last one, and after those that it had before it overflowed. */
  async take(): Promise<FollowedEvent | undefined> {
    while (this.waiting.length === 0 && !this.isOver && !this.hasOverflowed) await this.change();
    const event = this.waiting.shift();
    this.notify();
    if (!event && this.fault && !this.hasOverflowed) throw this.fault.error;
    return event;
  }

  async drained(): Promise<void> {
    while (this.waiting.length > 0 && !this.isOver) await this.change();
  }

  private change(): Promise<void> {
    const others = this.notify;
    return new Promise((resolve) => {
      this.notify = () => {
        this.notify = () => {};
        others();
        resolve();
      };
    });
  }
}
