import { Body, Controller, HttpCode, RequestMethod, Res, Sse } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { EMPTY } from 'rxjs';
import type { Observable } from 'rxjs';
import { Access } from '../../../auth/access.decorator.js';
import { Caller } from '../../../auth/caller.decorator.js';
import type { Principal } from '../../../auth/principal.js';
import { HeadersOfStart } from '../../../interactions/interactions.decorators.js';
import type { StartHeaders } from '../../../interactions/start/start-request.js';
import { EventStreams, MAX_PENDING_LENGTH } from '../../../streams/event-streams.js';
import { ProjectedStreams } from '../../base/projected-streams.js';
import { readChatBody } from './chat-body.js';
import { ChatProjection } from './chat-projection.js';
import { ChatStarts } from './chat-starts.js';

@ApiExcludeController()
@Access('chat')
@Controller('v1/chat')
export class ChatCompletionsController {
  constructor(
    private readonly starts: ChatStarts,
    private readonly streams: EventStreams,
    private readonly projected: ProjectedStreams,
  ) {}

  /** A message, or the results of tools that the client ran. */
  @Sse('completions', { method: RequestMethod.POST, maxPendingDataLength: MAX_PENDING_LENGTH })
  @HttpCode(200)
  async create(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const request = readChatBody(body);
    this.streams.admit(response);
    const { row, after, first } = await this.starts.begin(caller, request, headers);
    const { model, include_usage, stream } = request;
    const projection = new ChatProjection({ row, model, after, include_usage });
    const reading = { caller, response, ...(first && { first }) };
    if (stream) return this.projected.stream(row, projection, reading);
    await this.projected.collect(row, projection, reading);
    response.status(200).json(projection.completion());
    return EMPTY;
  }
}
