import { Body, Controller, HttpCode, Param, RequestMethod, Res, Sse } from '@nestjs/common';
import { UseGuards } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { EMPTY } from 'rxjs';
import type { Observable } from 'rxjs';
import { Access, AlsoNeeds } from '../../auth/access.decorator.js';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { HeadersOfStart } from '../../interactions/interactions.decorators.js';
import type { StartHeaders } from '../../interactions/start/start-request.js';
import { AppError } from '../../kernel/app-error.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { isObject } from '../../kernel/json/json.js';
import { MAX_PENDING_LENGTH } from '../../streams/event-streams.js';
import { AgentModels } from '../base/agent-models.js';
import { agentNotFound } from './card/agent-not-found.js';
import { faultOf, isOfRequest, toRpcError } from './errors.js';
import type { RpcId } from './errors.js';
import { isForTask, noPushNotifications } from './message-body.js';
import { Operations, refuseExtendedCard } from './operations.js';
import type { Asking } from './operations.js';
import { TaskList } from './tasks/task-list.js';
import type { Framing } from './tasks/task-stream.js';
import { VersionGuard } from './version.guard.js';

/** Characters. */
const MAX_ID_LENGTH = 256;

type Result = object | Observable<MessageEvent>;

interface Call {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

/** All operations as JSON-RPC, at the path of the agent. */
@ApiExcludeController()
@Access('chat')
@UseGuards(VersionGuard)
@Controller('a2a')
export class A2aJsonRpcController {
  constructor(
    private readonly operations: Operations,
    private readonly list: TaskList,
    private readonly models: AgentModels,
  ) {}

  @Sse(':agent', { method: RequestMethod.POST, maxPendingDataLength: MAX_PENDING_LENGTH })
  @HttpCode(200)
  @AlsoNeeds('decide', ({ body }) => isForTask(isObject(body) ? body['params'] : undefined))
  async call(
    @Caller() caller: Principal,
    @Param('agent') name: string,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const agent = this.models.find(name);
    if (!agent) throw agentNotFound(name);
    try {
      const call = readCall(body);
      const result = await this.run(call, { caller, agent, response }, headers);
      if ('subscribe' in result) return result;
      response.status(200).json({ jsonrpc: '2.0', id: call.id, result });
    } catch (error) {
      if (!(error instanceof AppError) || !isOfRequest(error)) throw error;
      response.status(200).json(toRpcError(faultOf(error), idOf(body)));
    }
    return EMPTY;
  }

  private run(
    { id, method, params }: Call,
    asking: Asking,
    headers: StartHeaders,
  ): Promise<Result> {
    switch (method) {
      case 'SendMessage':
        return this.operations.send(asking, params, headers);
      case 'SendStreamingMessage':
        return this.operations.stream(asking, params, headers, framingOf(id));
      case 'GetTask':
        return this.operations.get(asking, params);
      case 'ListTasks':
        return this.list.list(asking.caller, asking.agent, params);
      case 'CancelTask':
        return this.operations.cancel(asking, params);
      case 'SubscribeToTask':
        return this.operations.subscribe(asking, params, framingOf(id));
      case 'GetExtendedAgentCard':
        return refuseExtendedCard();
      case 'CreateTaskPushNotificationConfig':
      case 'GetTaskPushNotificationConfig':
      case 'ListTaskPushNotificationConfigs':
      case 'DeleteTaskPushNotificationConfig':
        throw noPushNotifications();
      default:
        throw unknownMethod(method);
    }
  }
}

function framingOf(id: RpcId): Framing {
  return {
    frame: (result) => ({ data: JSON.stringify({ jsonrpc: '2.0', id, result }) }),
    error: (error) => ({ data: JSON.stringify(toRpcError(faultOf(error), id)) }),
  };
}

/** @throws AppError `not_json_rpc` (400) */
function readCall(body: unknown): Call {
  const isCall = isObject(body) && body['jsonrpc'] === '2.0';
  const method = isCall ? body['method'] : undefined;
  const isIdTaken = isCall && (body['id'] === undefined || idOf(body) === body['id']);
  if (!isCall || !isIdTaken || typeof method !== 'string')
    throw new AppError(
      'invalid',
      'not_json_rpc',
      'The body must be one request: {"jsonrpc": "2.0", "id", "method", "params"}, with an id of up to 256 characters.',
    );
  return { id: idOf(body), method, params: body['params'] };
}

/** Each frame has it; one that is too long counts as none. */
function idOf(body: unknown): RpcId {
  const id = isObject(body) ? body['id'] : undefined;
  const isShort = typeof id === 'string' && id.length <= MAX_ID_LENGTH;
  return typeof id === 'number' || isShort ? id : null;
}

function unknownMethod(method: string): AppError {
  const message = `There is no method ${JSON.stringify(cutText(method, 64))} in A2A 1.0.`;
  return new AppError('not_found', 'unknown_method', message);
}
