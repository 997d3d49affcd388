import type { ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { viewerOf } from '../access/viewer-of.js';
import type { Principal } from '../auth/principal.js';
import { Readers } from '../event-log/follow/readers.js';
import { EventStreams, StreamBacklog } from '../http/event-streams.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { RecordStore } from '../persistence/record.store.js';
import type { ChatRow } from '../persistence/rows/store-rows.js';
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
  readonly sent: SentCursor | undefined;
  readonly trace: boolean;
  /** False: frames have no `event` field. */
  readonly named: boolean;
  readonly response: ServerResponse;
}

/** The streams of chats and the feed, for controllers to return. */
@Injectable()
export class LiveStreams implements ChatReaderDeps {
  private readonly logger = new Logger('Events');

  constructor(
    private readonly streams: EventStreams,
    readonly readers: Readers,
    readonly interactions: InteractionStore,
    readonly records: RecordStore,
    readonly changes: ChatChanges,
    readonly states: LiveStates,
  ) {}

  /** @throws AppError `invalid_cursor`, `cursor_ahead` (400), `too_many_streams` (503) */
  async ofChat(
    caller: Principal,
    chat: ChatRow,
    { sent, trace, named, response }: ChatStreamOptions,
  ): Promise<Observable<MessageEvent>> {
    const viewer = viewerOf(caller);
    const from = sent
      ? await this.requirePosition(chat, viewer, sent)
      : await this.findPosition(chat);
    this.streams.admit(response);
    this.streams.join(response, chat.uid, `The chat ${chat.id}`);
    const backlog = new StreamBacklog(response);
    const messages = new Observable<MessageEvent>((reader) => {
      const following = new ChatReader(
        this,
        { chat, viewer, from, trace, backlog },
        {
          next: ({ cursor, event }) => {
            const message = toMessage(cursor, event, named);
            backlog.add(message.data.length);
            reader.next(message);
          },
          error: (err) => this.end(reader, `${chat.id}: a reader's stream failed`, err),
          complete: () => reader.complete(),
        },
      );
      following.start();
      return () => following.stop();
    });
    return this.streams.send(messages, response);
  }

  /** @throws AppError `too_many_streams` (503) */
  feed(
    caller: Principal,
    { named, response }: Pick<ChatStreamOptions, 'named' | 'response'>,
  ): Observable<MessageEvent> {
    this.streams.admit(response);
    const messages = new Observable<MessageEvent>((reader) => {
      const feed = new FeedReader(this, viewerOf(caller), {
        next: (event) => reader.next(toMessage(BEFORE_ALL, event, named)),
        error: (err) => this.end(reader, "A reader's feed failed", err),
        complete: () => reader.complete(),
      });
      feed.start();
      return () => feed.stop();
    });
    return this.streams.send(messages, response);
  }

  /** The client comes back with its cursor. */
  private end(reader: Subscriber<MessageEvent>, message: string, err: unknown): void {
    this.logger.warn({ message, err });
    reader.complete();
  }

  /**
   * Of a reader without a cursor: before what runs, or after all that has ended. An interaction
   * that begins between the two questions is active, or comes after the last one.
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

function toMessage(
  id: string,
  event: ChatFrame['event'] | FeedEvent,
  named: boolean,
): MessageEvent & { readonly data: string } {
  const name = named && { type: event.type.toLowerCase() };
  return { id, ...name, data: JSON.stringify(event) };
}
