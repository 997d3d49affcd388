import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { RequestMethod, Res, Sse, UseGuards } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { Access, AlsoNeeds } from '../../auth/access.decorator.js';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { HeadersOfStart } from '../../interactions/interactions.decorators.js';
import type { StartHeaders } from '../../interactions/start/start-request.js';
import { MAX_PENDING_LENGTH } from '../../streams/event-streams.js';
import { AgentModels } from '../base/agent-models.js';
import { agentNotFound } from './card/agent-not-found.js';
import { faultOf, toRestError } from './errors.js';
import { isForTask, noPushNotifications } from './message-body.js';
import { Operations, refuseExtendedCard } from './operations.js';
import { TaskList } from './tasks/task-list.js';
import type { TaskPage } from './tasks/task-list.js';
import type { TaskAgent } from './sends.js';
import type { Framing } from './tasks/task-stream.js';
import { VersionGuard } from './version.guard.js';
import type { Task } from './wire.js';

const CONFIGS = 'tasks/:task_id/pushNotificationConfigs';
const SSE = { maxPendingDataLength: MAX_PENDING_LENGTH };

const FRAMING: Framing = {
  frame: (response) => ({ data: JSON.stringify(response) }),
  error: (error) => ({ type: 'error', data: JSON.stringify(toRestError(faultOf(error))) }),
};

/** The operations as HTTP+JSON, below the path of the agent. */
@ApiExcludeController()
@Access('chat')
@UseGuards(VersionGuard)
@Controller('a2a/:agent')
export class A2aRestController {
  constructor(
    private readonly operations: Operations,
    private readonly list: TaskList,
    private readonly models: AgentModels,
  ) {}

  @Post('message\\:send')
  @HttpCode(200)
  @AlsoNeeds('decide', ({ body }) => isForTask(body))
  send(
    @Caller() caller: Principal,
    @Param('agent') name: string,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ readonly task: Task }> {
    const agent = this.agentOf(name);
    return this.operations.send({ caller, agent, response }, body, headers);
  }

  @Sse('message\\:stream', { ...SSE, method: RequestMethod.POST })
  @HttpCode(200)
  @AlsoNeeds('decide', ({ body }) => isForTask(body))
  async stream(
    @Caller() caller: Principal,
    @Param('agent') name: string,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const agent = this.agentOf(name);
    return this.operations.stream({ caller, agent, response }, body, headers, FRAMING);
  }

  @Get('tasks')
  async listTasks(
    @Caller() caller: Principal,
    @Param('agent') name: string,
    @Query() query: unknown,
  ): Promise<TaskPage> {
    return this.list.list(caller, this.agentOf(name), query);
  }

  @Sse('tasks/:task_id\\:subscribe', SSE)
  async subscribe(
    @Caller() caller: Principal,
    @Param('agent') name: string,
    @Param('task_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const agent = this.agentOf(name);
    return this.operations.subscribe({ caller, agent, response }, { id }, FRAMING);
  }

  @Sse('tasks/:task_id\\:subscribe', { ...SSE, method: RequestMethod.POST })
  @HttpCode(200)
  async postSubscribe(
    @Caller() caller: Principal,
    @Param('agent') name: string,
    @Param('task_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    return this.subscribe(caller, name, id, response);
  }

  @Post('tasks/:task_id\\:cancel')
  @HttpCode(200)
  async cancel(
    @Caller() caller: Principal,
    @Param('agent') name: string,
    @Param('task_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Task> {
    return this.operations.cancel({ caller, agent: this.agentOf(name), response }, { id });
  }

  @Get('tasks/:task_id')
  async get(
    @Caller() caller: Principal,
    @Param('agent') name: string,
    @Param('task_id') id: string,
    @Query('historyLength') historyLength: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Task> {
    const asking = { caller, agent: this.agentOf(name), response };
    return this.operations.get(asking, { id, historyLength });
  }

  @Get('extendedAgentCard')
  showExtendedCard(): never {
    return refuseExtendedCard();
  }

  @Get([CONFIGS, `${CONFIGS}/:id`])
  showPushNotifications(): never {
    throw noPushNotifications();
  }

  @Post(CONFIGS)
  addPushNotifications(): never {
    throw noPushNotifications();
  }

  @Delete(`${CONFIGS}/:id`)
  deletePushNotifications(): never {
    throw noPushNotifications();
  }

  private agentOf(name: string): TaskAgent {
    const agent = this.models.find(name);
    if (!agent) throw agentNotFound(name);
    return agent;
  }
}
