import { Body, Controller, Headers, HttpCode, Param, Post, Query } from '@nestjs/common';
import { RequestMethod, Res, Sse } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { Access, AlsoNeeds } from '../../../auth/access.decorator.js';
import { Caller } from '../../../auth/caller.decorator.js';
import type { Principal } from '../../../auth/principal.js';
import { HeadersOfStart } from '../../../interactions/interactions.decorators.js';
import type { StartHeaders } from '../../../interactions/start/start-request.js';
import { MAX_PENDING_LENGTH } from '../../../streams/event-streams.js';
import { RunAnswers } from './run-answers.js';
import { decides } from './run-body.js';

const SSE = { maxPendingDataLength: MAX_PENDING_LENGTH };
const POSTED = { ...SSE, method: RequestMethod.POST };
const DECIDES = AlsoNeeds('decide', ({ body }) => decides(body));

/** Runs without a thread get one of their own, which is kept. */
@ApiExcludeController()
@Access('chat')
@Controller('langgraph')
export class StatelessRunsController {
  constructor(private readonly answers: RunAnswers) {}

  @Sse('runs/stream', POSTED)
  @HttpCode(200)
  @DECIDES
  stream(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    return this.answers.stream({ caller, thread_id: undefined, body, headers }, response);
  }

  @Post('runs')
  @HttpCode(200)
  @DECIDES
  create(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    return this.answers.create({ caller, thread_id: undefined, body, headers }, response);
  }

  @Post('runs/wait')
  @HttpCode(200)
  @DECIDES
  wait(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res() response: Response,
  ): Promise<void> {
    return this.answers.wait({ caller, thread_id: undefined, body, headers }, response);
  }

  @Sse('runs/:run_id/stream', SSE)
  join(
    @Caller() caller: Principal,
    @Param('run_id') run_id: string,
    @Query('stream_mode') mode: string | string[] | undefined,
    @Headers('last-event-id') last: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    return this.answers.join(caller, { thread_id: undefined, run_id, mode, last }, response);
  }
}
