import { Body, Controller, Get, HttpCode, Param, Post, RequestMethod } from '@nestjs/common';
import { Res, Sse } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { EMPTY } from 'rxjs';
import type { Observable } from 'rxjs';
import { z } from 'zod';
import { Access, AlsoNeeds } from '../../auth/access.decorator.js';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { CancellationService } from '../../cancellation/cancellation.service.js';
import { HeadersOfStart } from '../../interactions/interactions.decorators.js';
import type { RunOptions, StartHeaders } from '../../interactions/start/start-request.js';
import { AppError } from '../../kernel/app-error.js';
import { isObject } from '../../kernel/json/json.js';
import { MAX_PENDING_LENGTH } from '../../streams/event-streams.js';
import { AgentModels } from '../base/agent-models.js';
import { AgUiRuns } from './ag-ui-runs.js';
import { agentNotFound } from './agent-not-found.js';
import { AgentThreads } from './agent-threads.js';
import { decides, invalid, readInput } from './read-input.js';
import { ThreadReplay, runIdOf } from './thread-replay.js';

const SSE = { method: RequestMethod.POST, maxPendingDataLength: MAX_PENDING_LENGTH };
/** The agent of pages that name none: that of the chat or of the server. */
const DEFAULT = 'default';

/** A request of a page that sends all to one path. */
const ENVELOPE = z.looseObject({
  method: z.enum(['info', 'agent/run', 'agent/connect', 'agent/stop']),
  params: z
    .looseObject({ agentId: z.string().nullish(), threadId: z.string().nullish() })
    .nullish(),
  body: z.unknown().optional(),
});
type Envelope = z.output<typeof ENVELOPE>;

/** The runtime of pages of CopilotKit, whose `runtimeUrl` is the path `/copilotkit`. */
@ApiExcludeController()
@Access('chat')
@Controller('copilotkit')
export class CopilotKitController {
  constructor(
    private readonly runs: AgUiRuns,
    private readonly replay: ThreadReplay,
    private readonly threads: AgentThreads,
    private readonly cancellation: CancellationService,
    private readonly models: AgentModels,
  ) {}

  /** Agents by name, and which of the runtime's features there are. */
  @Get('info')
  info(): object {
    const standard = { id: DEFAULT, description: 'The agent of the chat, or of the server.' };
    const agents = [standard, ...this.models.list()].map(({ id: name, description }) => {
      return [name, { name, description, className: 'HttpAgent' }] as const;
    });
    const none = { list: false, inspect: false, mutations: false, realtimeMetadata: false };
    return {
      ...{ version: '1.74.0', mode: 'sse', agents: Object.fromEntries(agents) },
      ...{ audioFileTranscriptionEnabled: false, suggestions: false, threadEndpoints: none },
      ...{ a2uiEnabled: false, openGenerativeUIEnabled: false, telemetryDisabled: true },
    };
  }

  @Sse('agent/:agent/run', SSE)
  @HttpCode(200)
  @AlsoNeeds('decide', ({ body }) => decides(body))
  run(
    @Caller() caller: Principal,
    @Param('agent') name: string,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const agent = this.agentOf(name);
    return this.runs.run({ caller, agent, request: readInput(body), headers, response });
  }

  /** The messages of the thread, then what goes on in it. */
  @Sse('agent/:agent/connect', SSE)
  @HttpCode(200)
  connect(
    @Caller() caller: Principal,
    @Param('agent') name: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    this.agentOf(name);
    return this.replay.connect({ caller, request: readInput(body), response });
  }

  /** With the id of a run, only if that is not over. */
  @Post('agent/:agent/stop/:thread_id')
  @HttpCode(200)
  async stop(
    @Caller() caller: Principal,
    @Param('agent') name: string,
    @Param('thread_id') thread: string,
    @Body() body: unknown,
  ): Promise<object> {
    this.agentOf(name);
    const chat = await this.threads.find(caller, thread);
    const active = chat && (await this.threads.activeOf(caller, chat));
    const runId = isObject(body) ? body['runId'] : undefined;
    const named = chat?.interactions.find((each) => runIdOf(each) === runId);
    const isOther = runId !== undefined && named !== undefined && named.id !== active?.id;
    if (!active || isOther || !(await this.cancel(caller, thread, active.id)))
      return { stopped: false, message: 'No such run is active.' };
    const message = 'Run stopped by user';
    return { stopped: true, interrupt: { type: 'RUN_ERROR', message, code: 'STOPPED' } };
  }

  /** The routes above at one path, as pages with `useSingleEndpoint` send their requests. */
  @Sse('', SSE)
  @HttpCode(200)
  @AlsoNeeds('decide', ({ body }) => {
    return isObject(body) && body['method'] === 'agent/run' && decides(body['body']);
  })
  async single(
    @Caller() caller: Principal,
    @Body() given: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const envelope = readEnvelope(given);
    const { method, body } = envelope;
    if (method === 'info') return answer(response, this.info());
    const agent = requireParam(envelope, 'agentId');
    switch (method) {
      case 'agent/run':
        return this.run(caller, agent, body, headers, response);
      case 'agent/connect':
        return this.connect(caller, agent, body, response);
      case 'agent/stop': {
        const thread = requireParam(envelope, 'threadId');
        return answer(response, await this.stop(caller, agent, thread, body));
      }
    }
  }

  private async cancel(caller: Principal, chat_id: string, id: string): Promise<boolean> {
    try {
      await this.cancellation.requestByUser(caller, chat_id, id);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'already_ended') return false;
      throw error;
    }
  }

  private agentOf(name: string): Pick<RunOptions, 'agent' | 'model'> {
    const agent = this.models.find(name) ?? (name === DEFAULT ? {} : undefined);
    if (!agent) throw agentNotFound(this.models, name);
    return agent;
  }
}

/** @throws AppError `invalid_body` (400) */
function readEnvelope(given: unknown): Envelope {
  const { data, error } = ENVELOPE.safeParse(given);
  if (data) return data;
  const [issue] = error.issues;
  throw invalid(issue?.path.join('.') || 'body', `is invalid: ${issue?.message}`);
}

/** @throws AppError `invalid_body` (400) */
function requireParam({ params, method }: Envelope, name: 'agentId' | 'threadId'): string {
  const value = params?.[name];
  if (!value) throw invalid(`params.${name}`, `is needed by the method ${method}`);
  return value;
}

function answer(response: Response, body: object): Observable<never> {
  response.status(200).json(body);
  return EMPTY;
}
