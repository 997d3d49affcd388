import type { StreamEvent } from '../../../event-log/follow/stream-event.js';
import { isWanted } from './event-filter.js';
import type { EventFilter } from './event-filter.js';
import { RunEvents } from './run-events.js';
import type { Placed, RunContext } from './run-events.js';
import type { StreamFrame } from '../../../streams/event-streams.js';

/** Numbers in a millisecond: more than a log has events in one. */
const PER_MS = 1024;

/**
 * A thread in the words of the protocol. Ids of events are made of the log, and so equal in every
 * replay; `seq` is made of the times of records, and rises.
 */
export class ThreadEvents {
  private run: { readonly id: string; readonly events: RunEvents } | undefined;
  private seq = 0;
  private time = 0;

  constructor(
    private readonly filter: EventFilter,
    /** Finds the context of an interaction that begins. */
    private readonly contextOf: (interaction_id: string) => Promise<RunContext | undefined>,
  ) {}

  /** Events of an interaction begin with its first. */
  async take(event: StreamEvent, cursor: string): Promise<readonly StreamFrame[]> {
    const { interaction_id: id } = event;
    if (event.type === 'INTERACTION_STARTED') {
      const context = await this.contextOf(id);
      this.run = context && { id, events: new RunEvents(id, event.agent_id, context) };
    }
    if (this.run?.id !== id) return [];
    if ('at' in event) this.time = Date.parse(event.at);
    return this.run.events.take(event, cursor).flatMap((each) => this.frame(id, each));
  }

  private frame(interaction_id: string, placed: Placed): StreamFrame[] {
    this.seq = Math.max(this.seq + 1, this.time * PER_MS);
    const { filter, seq, time: timestamp } = this;
    const { key, method, namespace, data } = placed;
    if (!isWanted(placed, filter) || seq <= (filter.since ?? 0)) return [];
    const event_id = key.startsWith('synth:') ? key : `${interaction_id}/${key}`;
    const params = { namespace, timestamp, data };
    const event = { type: 'event', event_id, seq, method, params };
    return [{ id: event_id, type: method, data: JSON.stringify(event) }];
  }
}
