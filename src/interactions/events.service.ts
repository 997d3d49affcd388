import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { SseStreams } from '../http/sse-streams.js';
import { AppError } from '../kernel/app-error.js';
import { Readers } from '../event-log/follow/readers.js';
import type { InteractionRow } from '../persistence/rows/store-rows.js';
import { START, parseCursor } from '../protocol/cursor.js';
import type { Cursor } from '../protocol/cursor.js';
import { isFinal } from '../protocol/interaction.js';
import { EventSink } from './event-sink.js';

/** A cursor as a request carries it. */
export interface SentCursor {
  readonly field: 'Last-Event-ID' | 'after';
  readonly text: string;
}

/** Streams an interaction's events to readers. */
@Injectable()
export class EventsService implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly config: Config,
    private readonly readers: Readers,
    private readonly streams: SseStreams,
  ) {}

  onApplicationBootstrap(): void {
    this.readers.startTailCheck(this.config.heartbeatMs);
  }

  onApplicationShutdown(): void {
    this.readers.stopTailCheck();
  }

  /**
   * Where to go on from: what the reader sent, or the log's end if that is further than the log goes.
   * Undefined: everything has been sent already.
   * @throws AppError `invalid_cursor` (400)
   */
  position(row: InteractionRow, sent: SentCursor | undefined): Cursor | undefined {
    const cursor = sent ? read(sent) : START;
    if (cursor.seq < row.last_seq) return cursor;
    if (isFinal(row.status)) return undefined;
    return cursor.seq === row.last_seq ? cursor : { seq: row.last_seq, offsets: new Map() };
  }

  /** Resolves when what is said from now on is heard. */
  stream(
    response: ServerResponse,
    options: { interaction_id: string; cursor: Cursor; trace: boolean },
  ): Promise<void> {
    const stream = this.streams.open(response);
    stream.open();
    const reading = this.readers.follow(options, new EventSink(stream));
    stream.onClose(() => reading.leave());
    return reading.live;
  }
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
