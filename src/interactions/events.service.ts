import type { ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { EMPTY, catchError, map, of, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import { ChatWatch } from '../access/chat-watch.js';
import type { Principal } from '../auth/principal.js';
import { LOG_WENT_BACK } from '../event-log/follow/follower.js';
import type { FollowedEvent } from '../event-log/follow/follower.js';
import { Readers } from '../event-log/follow/readers.js';
import { isUnreadable } from '../encryption/unreadable.js';
import { EventStreams, StreamBacklog } from '../http/event-streams.js';
import { AppError } from '../kernel/app-error.js';
import type { LogRecord } from '../persistence/rows/log-record.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { START, formatCursor, parseCursor } from '../protocol/cursor.js';
import type { EventOrigin, RecordOf } from '../protocol/events.js';
import type { Cursor } from '../protocol/cursor.js';
import { isFinal } from '../protocol/interaction.js';

/** A cursor as a request carries it. */
export interface SentCursor {
  readonly field: 'Last-Event-ID' | 'after';
  readonly text: string;
}

export interface StreamOptions {
  readonly caller: Principal;
  readonly from: Cursor;
  /** Record 1, if it is known. */
  readonly first?: LogRecord;
  readonly trace: boolean;
  /** False: frames have no `event` field. */
  readonly named: boolean;
  readonly response: ServerResponse;
}

/** Ends a stream whose reader must begin again. */
interface FailedStream {
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

/** Streams an interaction's events to readers. */
@Injectable()
export class EventsService {
  private readonly logger = new Logger('Events');

  constructor(
    private readonly readers: Readers,
    private readonly streams: EventStreams,
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

  /** @throws AppError `too_many_streams` (503) */
  admit(response: ServerResponse): void {
    this.streams.admit(response);
  }

  /**
   * For a controller to return, of a response that was admitted. A failure ends the stream: the
   * client reconnects with its cursor, from the start if the log has lost records that it may have,
   * or after the records that can't be read.
   * @throws AppError `too_many_streams` (503)
   */
  follow(
    row: InteractionRow,
    { caller, from, first, trace, named, response }: StreamOptions,
  ): Observable<MessageEvent> {
    const { id: interaction_id } = row;
    this.streams.join(response, interaction_id);
    const backlog = new StreamBacklog(response);
    const show = named ? toMessage : withoutName;
    const messages = this.readers
      .follow({ interaction_id, cursor: from, first, trace, backlog })
      .pipe(
        map((event) => {
          const message = show(event);
          backlog.add(message.data.length);
          return message;
        }),
        catchError((error: unknown) => {
          this.logger.warn({ message: `${interaction_id}: a reader's stream failed`, err: error });
          const failed = toLastEvent(row, error);
          return failed ? of(show(failed)) : EMPTY;
        }),
      );
    const seen = messages.pipe(takeUntil(this.watch.untilHidden(caller, row)));
    return this.streams.send(seen, response);
  }
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

type TextMessage = MessageEvent & { readonly data: string };

function toMessage({ cursor, event }: FollowedEvent | FailedStream): TextMessage {
  return { id: cursor, type: event.type.toLowerCase(), data: JSON.stringify(event) };
}

function withoutName({ cursor, event }: FollowedEvent | FailedStream): TextMessage {
  return { id: cursor, data: JSON.stringify(event) };
}

/**
 * Tells a reader why its stream ends; undefined: it comes back with the cursor that it has. After
 * an unreadable log it comes back with the log's end, which is answered 204 once there is no more.
 */
function toLastEvent(row: EventsRow, error: unknown): FailedStream | undefined {
  const { id: interaction_id, agent_id, last_seq } = row;
  const origin = { interaction_id, agent_id };
  if (isUnreadable(error))
    return {
      cursor: formatCursor(last_seq, new Map()),
      event: toErrorEvent(origin, LOG_UNREADABLE),
    };
  if (!(error instanceof AppError) || error.code !== LOG_WENT_BACK) return undefined;
  return { cursor: BEGINNING, event: toErrorEvent(origin, error) };
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
  const message = `${JSON.stringify(text.slice(0, 100))} is ahead of this interaction, which ended with record ${lastSeq}`;
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
