import type { ModelEvent } from '../model-provider.js';

/**
 * Back-pressure limits in characters of deltas: the source is paused at the high-water mark and
 * resumed at the low-water mark.
 */
const HIGH_WATER = 65_536;
const LOW_WATER = 16_384;

/** The source of the events. */
export interface EventSource {
  pause(): void;
  resume(): void;
  /** The consumer has left: close everything. */
  stop(): void;
}

type Delta = Extract<ModelEvent, { readonly delta: string }>;
/** A delta that was not yet delivered, so that more text can be merged into it. */
type Growing = { delta: string };
type Result = IteratorResult<ModelEvent, undefined>;
interface Waiter {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * A queue between a socket that pushes and a consumer that pulls. `push` is synchronous and merges
 * a delta into the previous one. Only `flush` wakes the consumer, so one network read costs one
 * promise, however many deltas it brought. Supports a single consumer.
 */
export class EventQueue implements AsyncIterableIterator<ModelEvent, undefined> {
  private readonly source: EventSource;
  /** Number of events that were pushed. */
  pushed = 0;
  private events: ModelEvent[] = [];
  private size = 0;
  private paused = false;
  private waiter: Waiter | undefined;
  private ended = false;
  private error: { readonly cause: unknown } | undefined;

  constructor(source: EventSource) {
    this.source = source;
  }

  push(event: ModelEvent): void {
    if (this.ended) return;
    this.pushed++;
    if ('delta' in event) this.pushDelta(event);
    else this.events.push(event);
  }

  /** Delivers the events pushed since the last flush. */
  flush(): void {
    if (this.waiter && this.events.length > 0) this.settle(this.waiter);
    if (this.paused || this.size < HIGH_WATER) return;
    this.paused = true;
    this.source.pause();
  }

  end(): void {
    this.ended = true;
    if (this.waiter) this.settle(this.waiter);
  }

  /** The consumer still receives the events pushed before; then `next` throws `error`. */
  fail(error: unknown): void {
    if (this.ended) return;
    this.error = { cause: error };
    this.end();
  }

  next(): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      if (this.events.length > 0 || this.ended) this.settle(waiter);
      else this.waiter = waiter;
    });
  }

  return(): Promise<Result> {
    this.events = [];
    this.error = undefined;
    this.end();
    this.source.stop();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private pushDelta(event: Delta): void {
    this.size += event.delta.length;
    const last = this.events.at(-1);
    if (last && continues(last, event)) (last as Growing).delta += event.delta;
    else this.events.push({ ...event });
  }

  private settle(waiter: Waiter): void {
    this.waiter = undefined;
    const event = this.events.shift();
    if (event) return waiter.resolve({ value: this.taken(event), done: false });
    const failure = this.error;
    this.error = undefined;
    if (failure) return waiter.reject(failure.cause);
    waiter.resolve({ value: undefined, done: true });
  }

  private taken(event: ModelEvent): ModelEvent {
    if ('delta' in event) this.size -= event.delta.length;
    if (this.paused && this.size <= LOW_WATER) {
      this.paused = false;
      this.source.resume();
    }
    return event;
  }
}

function continues(last: ModelEvent, event: Delta): last is Delta {
  if (last.type !== event.type) return false;
  return !('index' in last) || !('index' in event) || last.index === event.index;
}
