import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query } from '@nestjs/common';
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
import { EventStreams, MAX_PENDING_LENGTH } from '../../../streams/event-streams.js';
import { RunAnswers } from './run-answers.js';
import { decides } from './run-body.js';
import { Runs } from './runs.js';

const SSE = { maxPendingDataLength: MAX_PENDING_LENGTH };
const POSTED = { ...SSE, method: RequestMethod.POST };
const DECIDES = AlsoNeeds('decide', ({ body }) => decides(body));

/** Runs of a thread. */
@ApiExcludeController()
@Access('chat')
@Controller('langgraph/threads/:thread_id')
export class RunsController {
  constructor(
    private readonly answers: RunAnswers,
    private readonly runs: Runs,
    private readonly streams: EventStreams,
  ) {}

  @Sse('runs/stream', POSTED)
  @HttpCode(200)
  @DECIDES
  stream(
    @Caller() caller: Principal,
    @Param('thread_id') thread_id: string,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    return this.answers.stream({ caller, thread_id, body, headers }, response);
  }

  @Post('runs')
  @HttpCode(200)
  @DECIDES
  create(
    @Caller() caller: Principal,
    @Param('thread_id') thread_id: string,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    return this.answers.create({ caller, thread_id, body, headers }, response);
  }

  @Post('runs/wait')
  @HttpCode(200)
  @DECIDES
  wait(
    @Caller() caller: Principal,
    @Param('thread_id') thread_id: string,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res() response: Response,
  ): Promise<void> {
    return this.answers.wait({ caller, thread_id, body, headers }, response);
  }

  @Sse('runs/:run_id/stream', SSE)
  join(
    @Caller() caller: Principal,
    @Param('thread_id') thread_id: string,
    @Param('run_id') run_id: string,
    @Query('stream_mode') mode: string | string[] | undefined,
    @Headers('last-event-id') last: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    return this.answers.join(caller, { thread_id, run_id, mode, last }, response);
  }

  @Get('runs/:run_id/join')
  waitFor(
    @Caller() caller: Principal,
    @Param('thread_id') thread_id: string,
    @Param('run_id') run_id: string,
    @Res() response: Response,
  ): Promise<void> {
    return this.answers.waitFor(caller, { thread_id, run_id }, response);
  }

  @Get('runs')
  list(
    @Caller() caller: Principal,
    @Param('thread_id') thread_id: string,
    @Query() query: Readonly<Record<string, unknown>>,
  ): Promise<object[]> {
    return this.runs.list(caller, thread_id, query);
  }

  @Get('runs/:run_id')
  get(
    @Caller() caller: Principal,
    @Param('thread_id') thread_id: string,
    @Param('run_id') run_id: string,
  ): Promise<object> {
    return this.runs.show(caller, thread_id, run_id);
  }

  @Post('runs/:run_id/cancel')
  async cancel(
    @Caller() caller: Principal,
    @Param('thread_id') thread_id: string,
    @Param('run_id') run_id: string,
    @Query() { wait, action }: Readonly<Record<string, unknown>>,
    @Res() response: Response,
  ): Promise<void> {
    const waits = wait === '1' || wait === 'true';
    if (waits) this.streams.admit(response);
    await this.runs.cancel(caller, { thread_id, run_id, action, waits });
    response.status(waits ? 204 : 202).end();
  }
}
