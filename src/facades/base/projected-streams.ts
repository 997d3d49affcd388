import { Injectable, Logger } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import type { Response } from 'express';
import {
  catchError,
  concat,
  concatMap,
  defer,
  from,
  fromEvent,
  lastValueFrom,
  map,
  mergeMap,
} from 'rxjs';
import { EMPTY, of, takeUntil, takeWhile } from 'rxjs';
import type { Observable } from 'rxjs';
import { Authentication } from '../../auth/authentication.js';
import type { Principal } from '../../auth/principal.js';
import type { FollowedEvent } from '../../event-log/follow/follower.js';
import { EventsService } from '../../interactions/events.service.js';
import { AppError } from '../../kernel/app-error.js';
import type { Backlog } from '../../kernel/async/backlog.js';
import { Clock } from '../../kernel/clock.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { START } from '../../protocol/cursor.js';
import type { Cursor } from '../../protocol/cursor.js';
import { AdmissionGate } from '../../streams/admission-gate.js';
import { CredentialWatch } from '../../streams/credential-watch.js';
import { EventStreams } from '../../streams/event-streams.js';
import type { StreamFrame } from '../../streams/event-streams.js';
import { HeldBacklog } from './held-backlog.js';

/** A fold over the events of an interaction: the same events give the same frames. */
export interface Projection {
  /** Before it takes the first event. */
  prepare?(first: FollowedEvent): Promise<void>;
  take(followed: FollowedEvent): readonly StreamFrame[];
  /** True once the stream ends, although events may follow. */
  readonly isDone: boolean;
}

/** A projection whose stream tells its client of failures. */
export interface StreamedProjection extends Projection {
  /** The first frames, before any event. */
  begin?(): readonly StreamFrame[];
  fail(error: AppError): readonly StreamFrame[];
  /** The frame of a heartbeat; undefined: a comment. */
  beat?(now: Date): StreamFrame | undefined;
}

export interface Reading {
  readonly caller: Principal;
  /** Admitted with `EventStreams.admit`. */
  readonly response: Response;
  readonly from?: Cursor;
  /** Record 1, if it is known. */
  readonly first?: LogRecord;
}

const NO_BACKLOG: Backlog = { isFull: false, drained: () => Promise.resolve() };
const GONE = new AppError(
  'not_found',
  'chat_deleted',
  'The chat was deleted, or hidden, meanwhile.',
);
const FAILED = new AppError('internal', 'internal', 'Reading failed. Read again.');

/**
 * Interactions in the words of another protocol, with the limits, heartbeats and back-pressure of
 * the native streams. Each counts as a reader of its interaction.
 */
@Injectable()
export class ProjectedStreams {
  private readonly logger = new Logger('Facades');

  constructor(
    private readonly events: EventsService,
    private readonly streams: EventStreams,
    private readonly credentials: CredentialWatch,
    private readonly gate: AdmissionGate,
    private readonly authentication: Authentication,
    private readonly clock: Clock,
  ) {}

  /** For a controller to return. */
  stream(
    row: InteractionRow,
    projection: StreamedProjection,
    reading: Reading,
  ): Observable<MessageEvent> {
    const { response } = reading;
    this.streams.join(response, row.id);
    const heartbeat = (): StreamFrame | undefined => projection.beat?.(this.clock.now());
    const follow = (backlog: Backlog): Observable<StreamFrame> => {
      const begun = defer(() => from(projection.begin?.() ?? []));
      const followed = concat(
        this.follow(row, projection, { ...reading, backlog }),
        defer(() => this.checkEnd(projection)),
      ).pipe(
        mergeMap((frames) => from(frames)),
        catchError((error: unknown) => this.toLastFrames(row, projection, error)),
      );
      return concat(begun, followed);
    };
    return this.streams.sendFrames(response, follow, heartbeat);
  }

  /**
   * Reads until the projection is done, or the interaction has ended.
   * @throws AppError `shutting_down` (503), `invalid_credential` (401) if it has expired meanwhile,
   * `chat_deleted` (404) also if it was hidden, or as `EventsService.follow`
   */
  async collect(row: InteractionRow, projection: Projection, reading: Reading): Promise<void> {
    const { caller, response } = reading;
    this.streams.join(response, row.id);
    const gone = this.credentials.signalOf(response);
    await lastValueFrom(
      this.follow(row, projection, { ...reading, backlog: NO_BACKLOG }).pipe(
        takeUntil(aborted(gone)),
        takeUntil(aborted(this.gate.closed)),
      ),
      { defaultValue: undefined },
    );
    if (projection.isDone) return;
    this.gate.requireOpen();
    await this.authentication.requireValid(caller);
    throw GONE;
  }

  /**
   * Reads what there is already.
   * @throws AppError as `EventsService.follow`
   */
  async catchUp(row: InteractionRow, projection: Projection, caller: Principal): Promise<void> {
    if (row.last_seq === 0) return;
    const options = { caller, from: START, trace: false, backlog: NO_BACKLOG };
    await lastValueFrom(
      this.events.follow(row, options).pipe(
        takeWhile((followed) => {
          const { event } = followed;
          projection.take(followed);
          return !projection.isDone && !('seq' in event && event.seq >= row.last_seq);
        }),
      ),
      { defaultValue: undefined },
    );
  }

  private follow(
    row: InteractionRow,
    projection: Projection,
    { caller, first, from: cursor = START, backlog }: Reading & { readonly backlog: Backlog },
  ): Observable<readonly StreamFrame[]> {
    const held = new HeldBacklog(backlog);
    const options = { caller, from: cursor, trace: false, backlog: held, ...(first && { first }) };
    return this.events.follow(row, options).pipe(
      concatMap((followed, at) => {
        if (at > 0 || !projection.prepare) return of(followed);
        return from(held.during(projection.prepare(followed))).pipe(map(() => followed));
      }),
      map((followed) => projection.take(followed)),
      takeWhile(() => !projection.isDone, true),
    );
  }

  /**
   * Clients that do not come back would take the end of the events for that of the answer.
   * @throws AppError `chat_deleted` (404) also if it was hidden
   */
  private checkEnd({ isDone }: Projection): Observable<never> {
    if (!isDone && !this.gate.closed.aborted) throw GONE;
    return EMPTY;
  }

  private toLastFrames(
    { id }: InteractionRow,
    projection: StreamedProjection,
    error: unknown,
  ): Observable<StreamFrame> {
    if (error instanceof AppError) return from(projection.fail(error));
    this.logger.warn({ message: `${id}: a reader's stream failed`, err: error });
    return from(projection.fail(FAILED));
  }
}

function aborted(signal: AbortSignal): Observable<unknown> {
  return signal.aborted ? of(true) : fromEvent(signal, 'abort');
}
