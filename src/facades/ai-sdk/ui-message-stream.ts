import type { FollowedEvent } from '../../event-log/follow/follower.js';
import type { AppError } from '../../kernel/app-error.js';
import type { StreamFrame } from '../../streams/event-streams.js';
import type { StreamedProjection } from '../base/projected-streams.js';
import { sendable } from '../base/sendable.js';
import { UiMessageProjection } from './projection.js';
import type { ProjectionOptions } from './projection.js';
import type { UiChunk } from './ui-chunk.js';

const DONE: StreamFrame = { data: '[DONE]' };

/** The frames of a UI message stream. */
export class UiMessageStream implements StreamedProjection {
  private readonly projection: UiMessageProjection;

  constructor(options: ProjectionOptions) {
    this.projection = new UiMessageProjection(options);
  }

  get isDone(): boolean {
    return this.projection.isOver;
  }

  take({ event }: FollowedEvent): readonly StreamFrame[] {
    return this.frames(this.projection.take(event));
  }

  fail({ message }: AppError): readonly StreamFrame[] {
    return this.frames(this.projection.fail(message));
  }

  private frames(chunks: readonly UiChunk[]): readonly StreamFrame[] {
    const frames = chunks.map((chunk) => ({ data: JSON.stringify(chunk, sendable) }));
    return this.isDone ? [...frames, DONE] : frames;
  }
}
