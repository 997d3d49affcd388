import { formatEvent } from '../http/format-sse.js';
import type { SseResponse } from '../http/sse-response.js';
import type { FollowSink } from '../event-log/follow/follower.js';
import type { StreamEvent } from '../event-log/follow/stream-event.js';

/** Writes the events that a follower gives to one reader, those of a frame in one go. */
export class EventSink implements FollowSink {
  private pending = '';

  constructor(private readonly response: SseResponse) {}

  event(id: string, event: StreamEvent): void {
    this.pending += formatEvent(id, event.type.toLowerCase(), JSON.stringify(event));
  }

  flush(): void {
    if (this.pending === '') return;
    this.response.send(this.pending);
    this.pending = '';
  }

  drained(): Promise<void> {
    return this.response.drained();
  }

  end(): void {
    this.response.end();
  }
}
