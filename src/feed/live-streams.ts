import { outsideRuns } from '../logging/log-fields.js';
import { Injectable, Logger } from '@nestjs/common';
import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { viewerOf } from '../access/viewer-of.js';
import type { Principal } from '../auth/principal.js';
import type { Backlog } from '../kernel/async/backlog.js';
import { Readers } from '../event-log/follow/readers.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { RecordStore } from '../persistence/record.store.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import type { Viewer } from '../persistence/viewer.js';
import { isFinal } from '../protocol/interaction.js';
import type { FeedEvent } from '../protocol/live-events.js';
import type { SentCursor } from '../interactions/events.service.js';
import { ChatChanges } from './chat-changes.js';
import { BEFORE_ALL, cursorAhead, invalidCursor, parseChatCursor, startOf } from './chat-cursor.js';
import type { ChatCursor } from './chat-cursor.js';
import { ChatReader } from './chat-reader.js';
import type { ChatFrame, ChatReaderDeps } from './chat-reader.js';
import { FeedReader } from './feed-reader.js';
import { LiveStates } from './live-states.js';

export interface ChatStreamOptions {
  readonly from: ChatCursor | undefined;
  /** Also provider events of unknown types. */
  readonly trace: boolean;
  readonly backlog: Backlog;
}

/** An event of the feed, whose readers always begin with `feed_state`. */
interface FeedFrame {
  readonly cursor: string;
  readonly event: FeedEvent;
}

/** The events of chats and the feed, for their readers. */
@Injectable()
export class LiveStreams implements ChatReaderDeps {
  private readonly logger = new Logger('Events');

  constructor(
    readonly readers: Readers,
    readonly interactions: InteractionStore,
    readonly records: RecordStore,
    readonly changes: ChatChanges,
    readonly states: LiveStates,
  ) {}

  /**
   * Position to resume at; undefined: the beginning of the chat.
   * @throws AppError `invalid_cursor`, `cursor_ahead` (400)
   */
  position(
    caller: Principal,
    chat: ChatRow,
    sent: SentCursor | undefined,
  ): Promise<ChatCursor | undefined> {
    return sent ? this.requirePosition(chat, viewerOf(caller), sent) : this.findPosition(chat);
  }

  /** A failure ends it: the client comes back with its cursor. */
  ofChat(caller: Principal, chat: ChatRow, options: ChatStreamOptions): Observable<ChatFrame> {
    return new Observable((reader) => {
      const viewer = viewerOf(caller);
      const following = new ChatReader(
        this,
        { chat, viewer, ...options },
        {
          next: (frame) => reader.next(frame),
          error: (err) => this.end(reader, `${chat.id}: a reader's stream failed`, err),
          complete: () => reader.complete(),
        },
      );
      following.start();
      return () => following.stop();
    });
  }

  /** A failure ends it. */
  feed(caller: Principal): Observable<FeedFrame> {
    return new Observable((reader) => {
      const feed = new FeedReader(this, viewerOf(caller), {
        next: (event) => reader.next({ cursor: BEFORE_ALL, event }),
        error: (err) => this.end(reader, "A reader's feed failed", err),
        complete: () => reader.complete(),
      });
      feed.start();
      return () => feed.stop();
    });
  }

  private end(reader: Subscriber<never>, message: string, err: unknown): void {
    outsideRuns(() => this.logger.warn({ message, err }));
    reader.complete();
  }

  /**
   * Position of a reader without a cursor: before what runs, or after all that has ended. An
   * interaction that begins between the two queries is active, or comes after the last one.
   */
  private async findPosition({ uid }: ChatRow): Promise<ChatCursor | undefined> {
    const last = await this.interactions.findLastBegun(uid);
    const active = await this.interactions.findActiveInteraction(uid);
    if (active) return startOf(active.id);
    return last && { interaction_id: last.id, cursor: { seq: last.last_seq, offsets: new Map() } };
  }

  private async requirePosition(
    chat: ChatRow,
    viewer: Viewer,
    sent: SentCursor,
  ): Promise<ChatCursor | undefined> {
    const position = parseChatCursor(sent);
    if (!position) return undefined;
    const row = await this.interactions.findInteraction(position.interaction_id, viewer);
    if (row?.chat_uid !== chat.uid) throw invalidCursor(sent.field);
    if (isFinal(row.status) && position.cursor.seq > row.last_seq) throw cursorAhead(sent.field);
    return position;
  }
}
