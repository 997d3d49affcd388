import type { FollowedEvent } from '../../event-log/follow/follower.js';
import type { StreamEvent } from '../../event-log/follow/stream-event.js';
import type { StreamFrame } from '../../streams/event-streams.js';
import { OpenWork } from '../base/open-work.js';
import type { Projection } from '../base/projected-streams.js';

/**
 * The parts of an interaction that are answers of their own. A part ends at a pause: the record
 * after which nothing goes on before a request is settled. The seq of that record names the next.
 */
export class Parts implements Projection {
  readonly isDone = false;
  private readonly work = new OpenWork();
  private readonly starts = [0];
  /** The parts that begin with what settled a request, by the id of the request or its call. */
  private readonly settledIn = new Map<string, number>();
  private wasPaused = false;

  take({ event }: FollowedEvent): readonly StreamFrame[] {
    this.work.take(event);
    if (!('seq' in event)) return [];
    const settled = settledBy(event);
    if (settled !== undefined) this.settledIn.set(settled, this.last);
    const { isPaused } = this;
    if (isPaused && !this.wasPaused) this.starts.push(event.seq);
    this.wasPaused = isPaused;
    return [];
  }

  get isPaused(): boolean {
    return this.work.isBlocked;
  }

  /** True if nothing goes on before one of these requests is settled. */
  isPausedBy(requests: ReadonlySet<string>): boolean {
    return this.work.blockedBy(({ id }) => requests.has(id)).length > 0;
  }

  /** The start of the last part, which may not have begun. */
  get last(): number {
    return this.starts.at(-1)!;
  }

  has(start: number): boolean {
    return this.starts.includes(start);
  }

  /** The start of the part before; undefined if there is none. */
  before(start: number): number | undefined {
    return this.starts.findLast((each) => each < start);
  }

  /**
   * The start of the part that settles these requests, or results of calls, by their ids: the last
   * part, unless all were settled before.
   */
  settling(ids: readonly string[]): number {
    return Math.max(...ids.map((id) => this.settledIn.get(id) ?? this.last));
  }
}

function settledBy(event: StreamEvent): string | undefined {
  if (event.type === 'APPROVED' || event.type === 'REJECTED') return event.approval_id;
  if (event.type === 'INPUT_RECEIVED') return event.request_id;
  return event.type === 'TOOL_RESULT' ? event.id : undefined;
}
