import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { START } from '../protocol/cursor.js';
import { ChatBusyDto } from './dto/conflicts.dto.js';
import { EditInteractionDto } from './dto/edit-interaction.dto.js';
import { EventsQueryDto, TraceQueryDto } from './dto/events-query.dto.js';
import { ChatIdDto, InteractionIdDto } from '../http/input/ids.dto.js';
import { InteractionDto } from './dto/interaction.dto.js';
import { StartInteractionDto } from './dto/start-interaction.dto.js';
import { EventsService } from './events.service.js';
import type { SentCursor } from './events.service.js';
import { checkIdempotencyKey } from './idempotency-key.js';
import { InteractionView } from './interaction-view.js';
import type { InteractionRow } from '../persistence/rows/store-rows.js';
import { InteractionsService } from './interactions.service.js';
import type { StartRequest } from './interactions.service.js';

const SSE = 'text/event-stream';
const EVENTS = 'Server-Sent Events; every frame carries the cursor after it as its id.';
const REUSED_KEY = 'The Idempotency-Key was used with another body.';
const QUEUE_FULL = 'Too many interactions wait in the chat.';

type Start = Omit<StartRequest, 'idempotency_key' | 'on_disconnect'>;

interface Exchange {
  readonly trace: string | undefined;
  readonly key: string | undefined;
  readonly request: Request;
  readonly response: Response;
}

@ApiTags('interactions')
@Controller('chats/:chat_id/interactions')
export class InteractionsController {
  constructor(
    private readonly interactions: InteractionsService,
    private readonly events: EventsService,
    private readonly view: InteractionView,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Say something and stream what the agent does',
    description:
      'Creates the chat if it is new. With `Accept: application/json` the interaction runs in the background and the answer is 202 with the `Location` of its events.',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'The same key and body again give the same interaction.',
  })
  @ApiResponse({
    status: 200,
    description: EVENTS,
    content: { [SSE]: { schema: { type: 'string' } } },
  })
  @ApiResponse({
    status: 202,
    type: InteractionDto,
    description: 'Started in the background.',
    headers: { Location: { description: 'Its events.', schema: { type: 'string' } } },
  })
  @ApiResponse({ status: 400, type: ProblemDto, description: 'The body has faults.' })
  @ApiResponse({
    status: 409,
    type: ChatBusyDto,
    description: 'The chat is busy: see `active_interaction_id`.',
  })
  @ApiResponse({ status: 422, type: ProblemDto, description: REUSED_KEY })
  @ApiResponse({ status: 429, type: ProblemDto, description: QUEUE_FULL })
  @ApiResponse({ status: 503, type: ProblemDto, description: 'The server is being stopped.' })
  async start(
    @Param() { chat_id }: ChatIdDto,
    @Body() body: StartInteractionDto,
    @Query() { trace }: TraceQueryDto,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { user_message, on_conflict = 'reject', ...options } = body;
    const start = { chat_id, user_message, on_conflict, body: options };
    return this.begin(start, { trace, key, request, response });
  }

  @Post(':interaction_id/edit')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Say something else instead, and go on from there',
    description:
      'Starts a new interaction from the state before the edited one. What followed is superseded, not lost: `PATCH /chats/{chat_id}` switches back.',
  })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiResponse({
    status: 200,
    description: EVENTS,
    content: { [SSE]: { schema: { type: 'string' } } },
  })
  @ApiResponse({ status: 202, type: InteractionDto, description: 'Started in the background.' })
  @ApiResponse({ status: 400, type: ProblemDto, description: 'The body has faults.' })
  @ApiResponse({ status: 404, type: ProblemDto })
  @ApiResponse({
    status: 409,
    type: ChatBusyDto,
    description:
      'The chat is busy (see `active_interaction_id`), or the interaction still waits for its turn.',
  })
  @ApiResponse({ status: 422, type: ProblemDto, description: REUSED_KEY })
  @ApiResponse({ status: 429, type: ProblemDto, description: QUEUE_FULL })
  @ApiResponse({ status: 503, type: ProblemDto, description: 'The server is being stopped.' })
  async edit(
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Body() body: EditInteractionDto,
    @Query() { trace }: TraceQueryDto,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.interactions.get(chat_id, interaction_id);
    const { new_user_message: user_message, on_conflict = 'reject', ...options } = body;
    const edited_from = interaction_id;
    const start = { chat_id, user_message, edited_from, on_conflict, body: options };
    return this.begin(start, { trace, key, request, response });
  }

  @Get(':interaction_id')
  @ApiOperation({ summary: 'One interaction, with its events and state' })
  @ApiResponse({ status: 200, type: InteractionDto })
  @ApiResponse({ status: 404, type: ProblemDto })
  async get(@Param() { chat_id, interaction_id }: InteractionIdDto): Promise<InteractionDto> {
    return this.view.one(await this.interactions.get(chat_id, interaction_id));
  }

  @Get(':interaction_id/events')
  @ApiOperation({
    summary: 'Stream its events: what was, then what comes',
    description: 'Ends after `interaction_complete`; 204 when you have everything already.',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The id of the last event you have.',
  })
  @ApiResponse({
    status: 200,
    description: EVENTS,
    content: { [SSE]: { schema: { type: 'string' } } },
  })
  @ApiResponse({ status: 204, description: 'The cursor is at the end already.' })
  @ApiResponse({ status: 400, type: ProblemDto, description: 'The cursor is none.' })
  @ApiResponse({ status: 404, type: ProblemDto })
  async follow(
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Query() { after, trace }: EventsQueryDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const row = await this.interactions.get(chat_id, interaction_id);
    const cursor = this.events.position(row, sentCursor(lastEventId, after));
    if (!cursor) return void response.status(204).end();
    void this.events.stream(response, { interaction_id, cursor, trace: trace === '1' });
  }

  /** Answers with the stream of the interaction, or with the interaction itself if that is what is asked for. */
  private async begin(start: Start, { trace, key, request, response }: Exchange): Promise<void> {
    const inBackground = request.accepts([SSE, 'application/json']) === 'application/json';
    const idempotency_key = checkIdempotencyKey(key);
    const stream = ({ id: interaction_id }: InteractionRow): Promise<void> =>
      this.events.stream(response, { interaction_id, cursor: START, trace: trace === '1' });
    const row = await this.interactions.start(
      {
        ...start,
        ...(idempotency_key !== undefined && { idempotency_key }),
        on_disconnect: inBackground ? 'continue' : 'cancel',
      },
      inBackground ? undefined : stream,
    );
    if (!inBackground) return;
    response
      .status(202)
      .location(`/chats/${row.chat_id}/interactions/${row.id}/events`)
      .json(await this.view.one(row));
  }
}

/** The header beats the query: a browser that comes back sends both. An empty one counts as none. */
function sentCursor(lastEventId?: string, after?: string): SentCursor | undefined {
  if (lastEventId) return { field: 'Last-Event-ID', text: lastEventId };
  return after ? { field: 'after', text: after } : undefined;
}
