import { Controller, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Authentication } from '../auth/authentication.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Access } from '../auth/access.decorator.js';
import { EventStreams } from '../streams/event-streams.js';
import { InteractionIdDto } from '../http/input/ids.dto.js';
import { CancellationService } from './cancellation.service.js';
import { CancelQueryDto } from './dto/cancel.dto.js';
import { ApiAnswer } from '../http/openapi/answer.js';
import { alreadyEnded, cancelling } from '../protocol/wire/run.js';
import type { Cancelling } from '../protocol/wire/run.js';

@ApiTags('interactions')
@Access('chat')
@Controller('chats/:chat_id/interactions')
export class CancellationController {
  constructor(
    private readonly cancellation: CancellationService,
    private readonly streams: EventStreams,
    private readonly authentication: Authentication,
  ) {}

  @Post(':interaction_id/cancel')
  @Access('chat', 'operate')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Stop an interaction: model requests, tools, everything of it',
    description: 'With the scope `operate` also one of a chat of the tenant that you do not see.',
  })
  @ApiAnswer(200, cancelling, { description: 'It has ended (`wait=true`).' })
  @ApiAnswer(202, cancelling, { description: 'It is being stopped.' })
  @ApiResponse({ status: 404 })
  @ApiAnswer(409, alreadyEnded, { description: 'It had ended already.' })
  @ApiResponse({
    status: 503,
    description: 'With `wait=true`, which counts as a stream: there are too many of them.',
  })
  async cancel(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Query() { wait }: CancelQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Cancelling> {
    const waits = wait === 'true';
    if (waits) this.streams.admit(response);
    const row = await this.cancellation.requestByUser(caller, chat_id, interaction_id);
    const outcome = waits ? await this.cancellation.outcome(caller, row) : undefined;
    if (waits) await this.authentication.requireValid(caller);
    if (!outcome)
      return { status: 'cancelling', interaction_id, message: 'The interaction is being stopped.' };
    response.status(200);
    return { ...outcome, interaction_id, message: 'The interaction has ended.' };
  }
}
