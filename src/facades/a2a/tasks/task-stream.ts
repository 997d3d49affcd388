import type { FollowedEvent } from '../../../event-log/follow/follower.js';
import type { AppError } from '../../../kernel/app-error.js';
import type { StreamFrame } from '../../../streams/event-streams.js';
import type { Projection, StreamedProjection } from '../../base/projected-streams.js';
import type { TaskProjection } from './task-projection.js';
import type { StreamResponse } from '../wire.js';

/** How a transport writes frames. */
export interface Framing {
  frame(response: StreamResponse): StreamFrame;
  error(error: AppError): StreamFrame;
}

export interface TaskStreamOptions {
  /** The record with which the stream begins; 0: the first. */
  readonly after: number;
  readonly historyLength: number | undefined;
}

/**
 * The task as it is after a record, then its updates, until it ends or waits. Transports without a
 * stream wait for the same end.
 */
export class TaskStream implements StreamedProjection {
  private hasBegun: boolean;
  isDone = false;

  constructor(
    readonly projection: TaskProjection,
    private readonly framing: Framing,
    private readonly options: TaskStreamOptions,
  ) {
    this.hasBegun = options.after === 0;
  }

  begin(): readonly StreamFrame[] {
    return this.hasBegun ? [this.snapshot()] : [];
  }

  take({ event }: FollowedEvent): readonly StreamFrame[] {
    const updates = this.projection.take(event);
    if (!this.hasBegun && !('seq' in event && event.seq >= this.options.after)) return [];
    const frames = this.hasBegun
      ? updates.map((update) => this.framing.frame(update))
      : [this.snapshot()];
    this.hasBegun = true;
    this.isDone = this.projection.isOver;
    return frames;
  }

  fail(error: AppError): readonly StreamFrame[] {
    this.isDone = true;
    return [this.framing.error(error)];
  }

  private snapshot(): StreamFrame {
    return this.framing.frame({ task: this.projection.task(this.options.historyLength) });
  }
}

/** For reading what there is already. */
export function replayOf(projection: TaskProjection): Projection {
  return {
    isDone: false,
    take: ({ event }) => {
      projection.take(event);
      return [];
    },
  };
}
