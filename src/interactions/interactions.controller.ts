import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { EMPTY } from 'rxjs';
import type { Observable } from 'rxjs';
import { ChatAccess } from '../access/chat-access.js';
import { Authentication } from '../auth/authentication.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Access } from '../auth/access.decorator.js';
import { WaitForEnd } from '../cancellation/wait-for-end.js';
import { CredentialWatch } from '../streams/credential-watch.js';
import { EventStreams } from '../streams/event-streams.js';
import { ChatIdDto, InteractionIdDto } from '../http/input/ids.dto.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { START } from '../protocol/cursor.js';
import { isFinal } from '../protocol/interaction.js';
import { EventsQueryDto, StartQueryDto } from './dto/events-query.dto.js';
import type { StreamQueryDto } from './dto/events-query.dto.js';
import { EditInteractionDto, StartInteractionDto } from './dto/start-interaction.dto.js';
import { EventsService } from './events.service.js';
import type { FollowOptions, SentCursor } from './events.service.js';
import { InteractionView } from './interaction-view.js';
import {
  LastCursor,
  HeadersOfStart,
  StartsInteraction,
  StreamsEvents,
  WaitLimit,
  WantsJson,
} from './interactions.decorators.js';
import { StartService } from './start/start.service.js';
import { RetryService } from './start/retry.service.js';
import type { StartHeaders, StartRequest } from './start/start-request.js';
import { ApiAnswer } from '../http/openapi/answer.js';
import { interaction } from '../protocol/wire/interaction.js';
import type { Interaction } from '../protocol/wire/interaction.js';
import { chatBusy } from '../protocol/wire/run.js';
import { quotaExceeded } from '../quotas/quota-exceeded.js';

/** How the client wants the answer to a start. */
interface AnswerOptions {
  readonly query: StreamQueryDto;
  readonly wantsJson: boolean;
  /** Undefined: it does not wait for the end. */
  readonly wait_ms: number | undefined;
  readonly response: Response;
}

@ApiTags('interactions')
@Access('chat')
@Controller('chats/:chat_id/interactions')
export class InteractionsController {
  constructor(
    private readonly starts: StartService,
    private readonly retries: RetryService,
    private readonly waitForEnd: WaitForEnd,
    private readonly events: EventsService,
    private readonly streams: EventStreams,
    private readonly view: InteractionView,
    private readonly access: ChatAccess,
    private readonly credentials: CredentialWatch,
    private readonly authentication: Authentication,
  ) {}

  @StartsInteraction('', {
    summary: 'Send a message and stream what the agent does',
    description:
      'Creates the chat if it is new. With `Accept: application/json` the interaction runs in the background and the answer is 202. With `?wait=true` it is 200 and the finished interaction, without a stream. `Location` are its events, in each case.',
  })
  async start(
    @Caller() caller: Principal,
    @Param() { chat_id }: ChatIdDto,
    @Body() { user_message, on_conflict, ...body }: StartInteractionDto,
    @Query() query: StartQueryDto,
    @HeadersOfStart() headers: StartHeaders,
    @WantsJson() wantsJson: boolean,
    @WaitLimit() wait_ms: number | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const request = { caller, chat_id, user_message, on_conflict, body, ...headers };
    return this.begin(request, { query, wantsJson, wait_ms, response });
  }

  @StartsInteraction(':interaction_id/edit', {
    summary: 'Replace a message, and continue from there',
    description:
      'Starts a new interaction from the state before the edited one. What followed is superseded, not lost: `PATCH /chats/{chat_id}` switches back.',
  })
  @ApiResponse({ status: 404 })
  async edit(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id: edited_from }: InteractionIdDto,
    @Body() { new_user_message: user_message, on_conflict, ...body }: EditInteractionDto,
    @Query() query: StartQueryDto,
    @HeadersOfStart() headers: StartHeaders,
    @WantsJson() wantsJson: boolean,
    @WaitLimit() wait_ms: number | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    await this.access.interaction(caller, chat_id, edited_from);
    const request = { caller, chat_id, user_message, on_conflict, body, ...headers };
    return this.begin({ ...request, edited_from }, { query, wantsJson, wait_ms, response });
  }

  @Post(':interaction_id/retry')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Take up again an interaction that the server gave up',
    description:
      'For one that is FAILED with `crash_loop`, `log_unreadable`, `save_loop` or `store_refused` and is the head of its chat. It goes on with its log, in the background, under the same id: RUNNING, then a second end. Readers see one `interaction_complete`, the last; the earlier one is a `notice` with the code `retried` to them.',
  })
  @ApiAnswer(202, interaction, {
    description: 'It runs in the background.',
    headers: { Location: { description: 'Its events.', schema: { type: 'string' } } },
  })
  @ApiResponse({
    status: 400,
    description: 'The server no longer allows its settings, or has no such agent or model.',
  })
  @ApiResponse({
    status: 403,
    description: 'Its `approval_mode` needs the scope `decide` (`missing_scope`).',
  })
  @ApiResponse({ status: 404 })
  @ApiAnswer(409, chatBusy, {
    description:
      'It was not given up, or was imported (`not_given_up`), the chat is busy (`chat_busy`), or has gone on without it (`interaction_superseded`).',
  })
  @ApiAnswer(429, quotaExceeded, { description: 'A quota of the tenant is used up.' })
  @ApiResponse({ status: 503, description: 'The server is shutting down.' })
  async retry(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Interaction> {
    const found = await this.access.interaction(caller, chat_id, interaction_id);
    const row = await this.retries.retry(caller, found);
    response.location(response.req.baseUrl + eventsOf(row));
    return this.view.one(row);
  }

  @Get(':interaction_id')
  @ApiOperation({ summary: 'One interaction, with its events and state' })
  @ApiAnswer(200, interaction)
  @ApiResponse({ status: 404 })
  async get(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
  ): Promise<Interaction> {
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
  @ApiResponse({
    status: 400,
    description:
      'The cursor is malformed, or ahead of an interaction that has ended (`cursor_ahead`).',
  })
  @ApiResponse({ status: 404 })
  async follow(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Query() query: EventsQueryDto,
    @LastCursor() sent: SentCursor | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const row = await this.access.interaction(caller, chat_id, interaction_id);
    const from = this.events.position(row, sent);
    if (from) {
      this.streams.admit(response);
      return this.stream(row, { caller, from }, { query, response });
    }
    response.status(204).end();
    return EMPTY;
  }

  private async begin(
    request: Omit<StartRequest, 'background'>,
    { query, wantsJson, wait_ms, response }: AnswerOptions,
  ): Promise<Observable<MessageEvent>> {
    const { caller } = request;
    const waits = wait_ms !== undefined;
    if (waits || !wantsJson) this.streams.admit(response);
    const started = await this.starts.start({ ...request, background: waits || wantsJson });
    const { interaction: row } = started;
    response.location(response.req.baseUrl + eventsOf(row));
    if (!waits && !wantsJson)
      return this.stream(
        row,
        {
          ...{ caller, from: START },
          ...(started.outcome === 'started' && { first: started.first }),
        },
        { query, response },
      );
    if (waits) {
      response.set('Preference-Applied', 'wait');
      const signal = this.credentials.signalOf(response);
      await this.waitForEnd.orRequest(row.id, { limit_ms: wait_ms, signal });
      await this.authentication.requireValid(caller);
    }
    const latest = waits ? await this.access.interaction(caller, row.chat_id, row.id) : row;
    response.status(waits && isFinal(latest.status) ? 200 : 202).json(await this.view.one(latest));
    return EMPTY;
  }

  private stream(
    row: InteractionRow,
    options: Omit<FollowOptions, 'trace' | 'backlog'>,
    { query: { trace, named }, response }: Pick<AnswerOptions, 'query' | 'response'>,
  ): Observable<MessageEvent> {
    this.streams.join(response, row.id);
    return this.streams.sendEvents({ response, named: named !== '0' }, (backlog) =>
      this.events.stream(row, { ...options, trace: trace === '1', backlog }),
    );
  }
}

function eventsOf({ chat_id, id }: InteractionRow): string {
  return `/chats/${chat_id}/interactions/${id}/events`;
}
