import type { ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { EMPTY, catchError, map, of, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { LOG_WENT_BACK } from '../event-log/follow/follower.js';
import type { FollowedEvent } from '../event-log/follow/follower.js';
import { Readers } from '../event-log/follow/readers.js';
import { EventStreams, StreamBacklog } from '../http/event-streams.js';
import { AppError } from '../kernel/app-error.js';
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
  readonly from: Cursor;
  readonly trace: boolean;
  readonly response: ServerResponse;
}

/** Ends a stream whose reader must begin again. */
interface FailedStream {
  readonly cursor: string;
  readonly event: EventOrigin & RecordOf<'ERROR'>;
}

const BEGINNING = formatCursor(START.seq, START.offsets);

/** Streams an interaction's events to readers. */
@Injectable()
export class EventsService {
  private readonly logger = new Logger('Events');

  constructor(
    private readonly readers: Readers,
    private readonly streams: EventStreams,
  ) {}

  /**
   * Position to resume at: the cursor that was sent, or the end of the log if that is less.
   * Undefined: the reader has everything already.
   * @throws AppError `invalid_cursor` (400)
   */
  position(row: InteractionRow, sent: SentCursor | undefined): Cursor | undefined {
    const cursor = sent ? read(sent) : START;
    if (cursor.seq < row.last_seq) return cursor;
    if (isFinal(row.status)) return undefined;
    return cursor.seq === row.last_seq ? cursor : { seq: row.last_seq, offsets: new Map() };
  }

  /** @throws AppError `too_many_streams` (503) */
  admit(response: ServerResponse): void {
    this.streams.admit(response);
  }

  /**
   * For a controller to return, of a response that was admitted. A failure ends the stream: the
   * client reconnects with its cursor, or from the start if the log has lost records that it may
   * have.
   * @throws AppError `too_many_streams` (503)
   */
  follow(
    { id: interaction_id, agent_id }: Pick<InteractionRow, 'id' | 'agent_id'>,
    { from, trace, response }: StreamOptions,
  ): Observable<MessageEvent> {
    this.streams.join(response, interaction_id);
    const backlog = new StreamBacklog(response);
    const messages = this.readers.follow({ interaction_id, cursor: from, trace, backlog }).pipe(
      map(toMessage),
      tap(({ data }) => backlog.add(data.length)),
      catchError((error: unknown) => {
        this.logger.warn({ message: `${interaction_id}: a reader's stream failed`, err: error });
        if (!(error instanceof AppError) || error.code !== LOG_WENT_BACK) return EMPTY;
        return of(
          toMessage({ cursor: BEGINNING, event: toError({ interaction_id, agent_id }, error) }),
        );
      }),
    );
    return this.streams.send(messages, response);
  }
}

function toMessage({
  cursor,
  event,
}: FollowedEvent | FailedStream): MessageEvent & { readonly data: string } {
  return { id: cursor, type: event.type.toLowerCase(), data: JSON.stringify(event) };
}

/** Not a record: it has no seq, and is not sent again. */
function toError(origin: EventOrigin, { code, message }: AppError): FailedStream['event'] {
  return { type: 'ERROR', ...origin, code, message };
}

function read({ field, text }: SentCursor): Cursor {
  try {
    return parseCursor(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { kind, code, message } = error;
    throw new AppError(kind, code, message, { errors: [{ field, message }] });
  }
}
