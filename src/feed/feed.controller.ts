import { Controller, Param, Query, Res } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { Access } from '../auth/access.decorator.js';
import { ChatAccess } from '../access/chat-access.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { EventStreams } from '../streams/event-streams.js';
import { ChatIdDto } from '../http/input/ids.dto.js';
import { ChatEventsQueryDto, FeedQueryDto } from '../interactions/dto/events-query.dto.js';
import type { SentCursor } from '../interactions/events.service.js';
import { LastCursor, StreamsEvents } from '../interactions/interactions.decorators.js';
import { LiveStreams } from './live-streams.js';

@ApiTags('live')
@Access('chat')
@Controller()
export class FeedController {
  constructor(
    private readonly access: ChatAccess,
    private readonly live: LiveStreams,
    private readonly streams: EventStreams,
  ) {}

  @StreamsEvents('chats/:chat_id/events', 'ChatStreamEvent')
  @ApiOperation({
    summary: 'Stream a whole chat: its interactions, one after the other, and what changes besides',
    description:
      'Begins with `chat_state`, then the active interaction from its first record, or what follows the cursor; `after=0` is the whole chat. Ends when the chat is deleted or hidden from the caller. Swagger shows nothing of a stream without an end: `curl -N http://127.0.0.1:3000/chats/chat_123/events`.',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The id of the last event you have.',
  })
  @ApiResponse({
    status: 400,
    description: 'The cursor is malformed, of another chat, or ahead of its interaction’s end.',
  })
  @ApiResponse({ status: 404 })
  async followChat(
    @Caller() caller: Principal,
    @Param() { chat_id }: ChatIdDto,
    @Query() { trace, named }: ChatEventsQueryDto,
    @LastCursor() sent: SentCursor | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const chat = await this.access.chat(caller, chat_id);
    const from = await this.live.position(caller, chat, sent);
    this.streams.admit(response);
    this.streams.join(response, chat.uid, `The chat ${chat.id}`);
    return this.streams.sendEvents({ response, named: named !== '0' }, (backlog) =>
      this.live.ofChat(caller, chat, { from, trace: trace === '1', backlog }),
    );
  }

  @StreamsEvents('events', 'FeedEvent')
  @ApiOperation({
    summary: 'Stream changes of all chats that the caller sees, and the inbox',
    description:
      'Begins with `feed_state`, also for a reader that comes back: a cursor says nothing here. Swagger shows nothing of a stream without an end: `curl -N http://127.0.0.1:3000/events`.',
  })
  followAll(
    @Caller() caller: Principal,
    @Query() { named }: FeedQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Observable<MessageEvent> {
    this.streams.admit(response);
    return this.streams.sendEvents({ response, named: named !== '0' }, () =>
      this.live.feed(caller),
    );
  }
}
