import { Injectable, Logger } from '@nestjs/common';
import { EMPTY, catchError, map, of, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import { ChatWatch } from '../access/chat-watch.js';
import type { Principal } from '../auth/principal.js';
import { LOG_WENT_BACK } from '../event-log/follow/follower.js';
import type { Backlog } from '../kernel/async/backlog.js';
import type { FollowedEvent } from '../event-log/follow/follower.js';
import type { StreamEvent } from '../event-log/follow/stream-event.js';
import { Readers } from '../event-log/follow/readers.js';
import { isUnreadable } from '../encryption/unreadable.js';
import { AppError } from '../kernel/app-error.js';
import type { LogRecord } from '../persistence/rows/log-record.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { START, formatCursor, parseCursor } from '../protocol/cursor.js';
import type { EventOrigin, RecordOf } from '../protocol/events.js';
import type { Cursor } from '../protocol/cursor.js';
import { isFinal } from '../protocol/interaction.js';
import { cutText } from '../kernel/text/cut-text.js';

/** A cursor as a request carries it. */
export interface SentCursor {
  readonly field: 'Last-Event-ID' | 'after';
  readonly text: string;
}

export interface FollowOptions {
  readonly caller: Principal;
  readonly from: Cursor;
  /** Record 1, if it is known. */
  readonly first?: LogRecord;
  /** Also provider events of unknown types. */
  readonly trace: boolean;
  readonly backlog: Backlog;
}

/** Ends a stream whose reader must begin again. */
export interface FailedStream {
  readonly cursor: string;
  readonly event: EventOrigin & RecordOf<'ERROR'>;
}

type EventsRow = Pick<InteractionRow, 'id' | 'agent_id' | 'last_seq'>;

export const LOG_UNREADABLE = new AppError(
  'internal',
  'log_unreadable',
  'The events of this interaction can’t be read: its saved data was changed, or its key is missing.',
);
const BEGINNING = formatCursor(START.seq, START.offsets);

/** An interaction's events for readers, each of whom has a cursor. */
@Injectable()
export class EventsService {
  private readonly logger = new Logger('Events');

  constructor(
    private readonly readers: Readers,
    private readonly watch: ChatWatch,
  ) {}

  /**
   * Position to resume at: the cursor that was sent, or the end of the log if that is less.
   * Undefined: the reader has everything already.
   * @throws AppError `invalid_cursor`, or `cursor_ahead` of a log that has ended (400)
   */
  position(row: InteractionRow, sent: SentCursor | undefined): Cursor | undefined {
    const cursor = sent ? readCursor(sent) : START;
    if (sent && cursor.seq > row.last_seq && isFinal(row.status))
      throw cursorAhead(sent, row.last_seq);
    return positionIn(row, cursor);
  }

  /**
   * The events, past and live, while the caller sees the interaction. It fails with an AppError
   * `log_unreadable`, or `log_went_back` if the log has lost records that the reader may have.
   */
  follow(
    row: InteractionRow,
    { caller, from, first, trace, backlog }: FollowOptions,
  ): Observable<FollowedEvent> {
    const { id: interaction_id } = row;
    return this.readers.follow({ interaction_id, cursor: from, first, trace, backlog }).pipe(
      map(({ cursor, event }) => ({ cursor, event: withFiles(event, row) })),
      catchError((err: unknown) => {
        this.logger.warn({ message: `${interaction_id}: a reader's stream failed`, err });
        throw isUnreadable(err) ? LOG_UNREADABLE : err;
      }),
      takeUntil(this.watch.untilHidden(caller, row)),
    );
  }

  /**
   * Follows like `follow`, for clients that reconnect: a failure is the last event. They come back
   * with its cursor, from the start if records were lost, or after the records that can't be read.
   */
  stream(row: InteractionRow, options: FollowOptions): Observable<FollowedEvent | FailedStream> {
    return this.follow(row, options).pipe(
      catchError((error: unknown) => {
        const failed = toLastEvent(row, error);
        return failed ? of(failed) : EMPTY;
      }),
    );
  }
}

/** Record 1 has the files of the message only for readers: their names are saved in the row. */
export function withFiles<E extends StreamEvent>(
  event: E,
  { settings: { files } }: Pick<InteractionRow, 'settings'>,
): E {
  return files && event.type === 'INTERACTION_STARTED' ? { ...event, files } : event;
}

/** The cursor, or the end of the log if that is less. Undefined: the reader has everything. */
export function positionIn(
  row: Pick<InteractionRow, 'last_seq' | 'status'>,
  cursor: Cursor,
): Cursor | undefined {
  if (cursor.seq < row.last_seq) return cursor;
  if (isFinal(row.status)) return undefined;
  return cursor.seq === row.last_seq ? cursor : { seq: row.last_seq, offsets: new Map() };
}

/**
 * Tells a reader why its stream ends; undefined: it comes back with the cursor that it has. After
 * an unreadable log it comes back with the log's end, which is answered 204 once there is no more.
 */
function toLastEvent(row: EventsRow, error: unknown): FailedStream | undefined {
  const { id: interaction_id, agent_id, last_seq } = row;
  const origin = { interaction_id, agent_id };
  if (!(error instanceof AppError)) return undefined;
  const event = toErrorEvent(origin, error);
  if (error === LOG_UNREADABLE) return { cursor: formatCursor(last_seq, new Map()), event };
  return error.code === LOG_WENT_BACK ? { cursor: BEGINNING, event } : undefined;
}

/** Not a record: it has no seq, and is not sent again. */
export function toErrorEvent(
  origin: EventOrigin,
  { code, message }: AppError,
): FailedStream['event'] {
  return { type: 'ERROR', ...origin, code, message };
}

/** It is of another interaction: this one will never get there. */
function cursorAhead({ field, text }: SentCursor, lastSeq: number): AppError {
  const message = `${JSON.stringify(cutText(text, 100))} is ahead of this interaction, which ended with record ${lastSeq}`;
  return new AppError('invalid', 'cursor_ahead', `The cursor ${message}. Read without it.`, {
    errors: [{ field, message }],
  });
}

/** @throws AppError `invalid_cursor` (400) */
export function readCursor({ field, text }: SentCursor): Cursor {
  try {
    return parseCursor(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { kind, code, message } = error;
    throw new AppError(kind, code, message, { errors: [{ field, message }] });
  }
}
