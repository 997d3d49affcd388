import { Injectable, Logger } from '@nestjs/common';
import type { TelemetryEvents } from './telemetry-events.js';

type Listener<E extends keyof TelemetryEvents> = (payload: TelemetryEvents[E]) => void;

/**
 * The channel on which the process tells metrics and the like what it does. Listeners are called at
 * once, in the order in which they subscribed, and can't break or delay what they watch.
 */
@Injectable()
export class Telemetry {
  private readonly logger = new Logger(Telemetry.name);
  private readonly listeners = new Map<string, ReadonlySet<(payload: never) => void>>();
  /** Events of which a listener has failed: each is logged once. */
  private readonly faulty = new Set<string>();

  /** Returns a function that ends the subscription. */
  on<E extends keyof TelemetryEvents>(event: E, listener: Listener<E>): () => void {
    const call: Listener<E> = (payload) => listener(payload);
    this.listeners.set(event, new Set(this.listeners.get(event)).add(call));
    return () => {
      const left = new Set(this.listeners.get(event));
      left.delete(call);
      this.listeners.set(event, left);
    };
  }

  /** True if the event has listeners, for payloads that cost something. */
  has(event: keyof TelemetryEvents): boolean {
    return (this.listeners.get(event)?.size ?? 0) > 0;
  }

  /** Never throws. */
  emit<E extends keyof TelemetryEvents>(event: E, payload: TelemetryEvents[E]): void {
    const listeners = this.listeners.get(event) as ReadonlySet<Listener<E>> | undefined;
    if (!listeners) return;
    for (const listener of listeners)
      try {
        listener(payload);
      } catch (error) {
        this.report(event, error);
      }
  }

  private report(event: string, err: unknown): void {
    if (this.faulty.has(event)) return;
    this.faulty.add(event);
    this.logger.error({ message: `A listener of ${event} failed; told only once`, err });
  }
}
