import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { EMPTY } from 'rxjs';
import type { Observable } from 'rxjs';
import { ChatAccess } from '../access/chat-access.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Access } from '../access/access.decorator.js';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { ChatIdDto, InteractionIdDto } from '../http/input/ids.dto.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { QuotaExceededDto } from '../quotas/dto/quota-exceeded.dto.js';
import { START } from '../protocol/cursor.js';
import { EventsQueryDto, TraceQueryDto } from './dto/events-query.dto.js';
import { InteractionDto } from './dto/interaction.dto.js';
import {
  ChatBusyDto,
  EditInteractionDto,
  StartInteractionDto,
} from './dto/start-interaction.dto.js';
import { EventsService } from './events.service.js';
import type { SentCursor } from './events.service.js';
import { InteractionView } from './interaction-view.js';
import type { StartRequest } from './interaction.factory.js';
import {
  IdempotencyKey,
  LastCursor,
  StartsInteraction,
  StreamsEvents,
  WantsJson,
} from './interactions.decorators.js';
import { InteractionsService } from './interactions.service.js';

@ApiTags('interactions')
@Access('chat')
@Controller('chats/:chat_id/interactions')
export class InteractionsController {
  constructor(
    private readonly interactions: InteractionsService,
    private readonly events: EventsService,
    private readonly view: InteractionView,
    private readonly access: ChatAccess,
  ) {}

  @StartsInteraction('', {
    summary: 'Send a message and stream what the agent does',
    description:
      'Creates the chat if it is new. With `Accept: application/json` the interaction runs in the background and the answer is 202 with the `Location` of its events.',
  })
  async start(
    @Caller() caller: Principal,
    @Param() { chat_id }: ChatIdDto,
    @Body() { user_message, on_conflict, ...body }: StartInteractionDto,
    @Query() { trace }: TraceQueryDto,
    @IdempotencyKey() idempotency_key: string | undefined,
    @WantsJson() background: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const request = { caller, chat_id, user_message, on_conflict, body };
    return this.begin({ ...request, idempotency_key, background }, { trace, response });
  }

  @StartsInteraction(':interaction_id/edit', {
    summary: 'Replace a message, and continue from there',
    description:
      'Starts a new interaction from the state before the edited one. What followed is superseded, not lost: `PATCH /chats/{chat_id}` switches back.',
  })
  @ApiResponse({ status: 404, type: ProblemDto })
  async edit(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id: edited_from }: InteractionIdDto,
    @Body() { new_user_message: user_message, on_conflict, ...body }: EditInteractionDto,
    @Query() { trace }: TraceQueryDto,
    @IdempotencyKey() idempotency_key: string | undefined,
    @WantsJson() background: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    await this.access.interaction(caller, chat_id, edited_from);
    const request = { caller, chat_id, user_message, on_conflict, body };
    return this.begin(
      { ...request, idempotency_key, background, edited_from },
      { trace, response },
    );
  }

  @Post(':interaction_id/retry')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Take up again an interaction that the server gave up',
    description:
      'For one that is FAILED with `crash_loop`, `log_unreadable`, `save_loop` or `store_refused` and is the head of its chat. It goes on with its log, in the background, under the same id: RUNNING, then a second end. Readers see one `interaction_complete`, the last; the earlier one is a `notice` with the code `retried` to them.',
  })
  @ApiResponse({
    status: 202,
    type: InteractionDto,
    description: 'It runs in the background.',
    headers: { Location: { description: 'Its events.', schema: { type: 'string' } } },
  })
  @ApiResponse({ status: 404, type: ProblemDto })
  @ApiResponse({
    status: 409,
    type: ChatBusyDto,
    description:
      'It was not given up (`not_given_up`), the chat is busy (`chat_busy`), or has gone on without it (`interaction_superseded`).',
  })
  @ApiResponse({
    status: 429,
    type: QuotaExceededDto,
    description: 'A quota of the tenant is used up.',
  })
  @ApiResponse({ status: 503, type: ProblemDto, description: 'The server is shutting down.' })
  async retry(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<InteractionDto> {
    const found = await this.access.interaction(caller, chat_id, interaction_id);
    const row = await this.interactions.retry(found);
    response.location(eventsOf(row));
    return this.view.one(row);
  }

  @Get(':interaction_id')
  @ApiOperation({ summary: 'One interaction, with its events and state' })
  @ApiResponse({ status: 200, type: InteractionDto })
  @ApiResponse({ status: 404, type: ProblemDto })
  async get(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
  ): Promise<InteractionDto> {
    return this.view.one(await this.access.interaction(caller, chat_id, interaction_id));
  }

  @StreamsEvents(':interaction_id/events')
  @ApiOperation({
    summary: 'Stream its events: the past ones, then live',
    description: 'Ends after `interaction_complete`; 204 when you have everything already.',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The id of the last event you have.',
  })
  @ApiResponse({ status: 204, description: 'The cursor is at the end already.' })
  @ApiResponse({ status: 400, type: ProblemDto, description: 'Malformed cursor.' })
  @ApiResponse({ status: 404, type: ProblemDto })
  async follow(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Query() { trace }: EventsQueryDto,
    @LastCursor() sent: SentCursor | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const row = await this.access.interaction(caller, chat_id, interaction_id);
    const from = this.events.position(row, sent);
    if (from) {
      this.events.admit(response);
      return this.events.follow(row, { from, trace: trace === '1', response });
    }
    response.status(204).end();
    return EMPTY;
  }

  private async begin(
    request: StartRequest,
    { trace, response }: { trace: string | undefined; response: Response },
  ): Promise<Observable<MessageEvent>> {
    if (!request.background) this.events.admit(response);
    const row = await this.interactions.start(request);
    if (!request.background)
      return this.events.follow(row, { from: START, trace: trace === '1', response });
    response
      .status(202)
      .location(eventsOf(row))
      .json(await this.view.one(row));
    return EMPTY;
  }
}

function eventsOf({ chat_id, id }: InteractionRow): string {
  return `/chats/${chat_id}/interactions/${id}/events`;
}
