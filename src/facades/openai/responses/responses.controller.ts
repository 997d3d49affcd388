import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  RequestMethod,
  Res,
  Sse,
} from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { EMPTY } from 'rxjs';
import type { Observable } from 'rxjs';
import { Access, AlsoNeeds } from '../../../auth/access.decorator.js';
import { Caller } from '../../../auth/caller.decorator.js';
import type { Principal } from '../../../auth/principal.js';
import { CancellationService } from '../../../cancellation/cancellation.service.js';
import { ChatDeletion } from '../../../chats/chat-deletion.js';
import { ChatsService } from '../../../chats/chats.service.js';
import { HeadersOfStart } from '../../../interactions/interactions.decorators.js';
import type { StartHeaders } from '../../../interactions/start/start-request.js';
import { AppError } from '../../../kernel/app-error.js';
import { EventStreams, MAX_PENDING_LENGTH } from '../../../streams/event-streams.js';
import { ProjectedStreams } from '../../base/projected-streams.js';
import { invalidBody } from '../parameters.js';
import { InputProjection } from './input-projection.js';
import { KnownResponses } from './known-responses.js';
import { hasVerdict, readResponseBody } from './response-body.js';
import { ResponseProjection } from './response-projection.js';
import { ResponseStarts } from './response-starts.js';

@ApiExcludeController()
@Access('chat')
@Controller('v1/responses')
export class ResponsesController {
  constructor(
    private readonly starts: ResponseStarts,
    private readonly known: KnownResponses,
    private readonly streams: EventStreams,
    private readonly projected: ProjectedStreams,
    private readonly cancellation: CancellationService,
    private readonly chats: ChatsService,
    private readonly deletion: ChatDeletion,
  ) {}

  @Sse('', { method: RequestMethod.POST, maxPendingDataLength: MAX_PENDING_LENGTH })
  @HttpCode(200)
  @AlsoNeeds('decide', ({ body }) => hasVerdict(body))
  async create(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const request = readResponseBody(body);
    const { stream, background } = request;
    if (stream || !background) this.streams.admit(response);
    const { first, ...begun } = await this.starts.begin(caller, request, headers);
    const { row } = begun;
    const projection = new ResponseProjection(begun);
    const reading = { caller, response, ...(first && { first }) };
    if (stream) return this.projected.stream(row, projection, reading);
    if (!background) await this.projected.collect(row, projection, reading);
    response.status(200).json(projection.response());
    return EMPTY;
  }

  /** The response in its current state, or a stream of all its events, later ones included. */
  @Sse(':response_id', { maxPendingDataLength: MAX_PENDING_LENGTH })
  async get(
    @Caller() caller: Principal,
    @Param('response_id') id: string,
    @Query('stream') stream: unknown,
    @Query('starting_after') sent: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    if (stream !== 'true') {
      response.status(200).json(await this.show(caller, id));
      return EMPTY;
    }
    const starting_after = readStartingAfter(sent);
    const known = await this.known.find(caller, id);
    this.streams.admit(response);
    const projection = new ResponseProjection({ ...known, starting_after });
    return this.projected.stream(known.row, projection, { caller, response });
  }

  @Get(':response_id/input_items')
  async listInput(
    @Caller() caller: Principal,
    @Param('response_id') id: string,
    @Query('order') order: unknown,
  ): Promise<object> {
    const { row, after } = await this.known.find(caller, id);
    const input = new InputProjection(row, after);
    await this.projected.catchUp(row, input, caller);
    const data = order === 'asc' ? input.items : input.items.toReversed();
    const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
    return { object: 'list', data, first_id, last_id, has_more: false };
  }

  @Post(':response_id/cancel')
  @HttpCode(200)
  async cancel(
    @Caller() caller: Principal,
    @Param('response_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const { chat_id, id: interaction_id } = (await this.known.find(caller, id)).row;
    this.streams.admit(response);
    const row = await this.cancellation.requestByUser(caller, chat_id, interaction_id);
    await this.cancellation.outcome(caller, row);
    return this.show(caller, id);
  }

  /** With its chat, of which it has to be all. */
  @Delete(':response_id')
  async delete(@Caller() caller: Principal, @Param('response_id') id: string): Promise<object> {
    const { chat_id } = (await this.known.find(caller, id)).row;
    const query = { limit: 2, include: 'superseded' as const };
    const { interactions } = await this.chats.get(caller, chat_id, query);
    if (interactions.length > 1) throw hasOthers(chat_id);
    await this.deletion.delete(caller, chat_id);
    return { id, object: 'response', deleted: true };
  }

  private async show(caller: Principal, id: string): Promise<object> {
    const known = await this.known.find(caller, id);
    const projection = new ResponseProjection(known);
    await this.projected.catchUp(known.row, projection, caller);
    return projection.response();
  }
}

function readStartingAfter(sent: unknown): number | undefined {
  if (sent === undefined) return undefined;
  const number = typeof sent === 'string' && /^\d{1,16}$/.test(sent) ? Number(sent) : NaN;
  if (Number.isSafeInteger(number)) return number;
  throw invalidBody('starting_after', 'must be the sequence_number of an event');
}

function hasOthers(chat_id: string): AppError {
  const message = `The conversation ${chat_id} has other responses, which would go with it: delete it whole with DELETE /chats/${chat_id}.`;
  return new AppError('unprocessable', 'response_in_use', message);
}
