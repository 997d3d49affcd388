import type { IncomingHttpHeaders } from 'node:http';
import { Body, Controller, Delete, Headers, HttpCode, RequestMethod } from '@nestjs/common';
import { Res, Sse } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { EMPTY, NEVER } from 'rxjs';
import type { Observable } from 'rxjs';
import { Access, AlsoNeeds } from '../../auth/access.decorator.js';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { setRules } from '../../http/path-rules.js';
import { HeadersOfStart } from '../../interactions/interactions.decorators.js';
import type { StartHeaders } from '../../interactions/start/start-request.js';
import { AppError } from '../../kernel/app-error.js';
import { EventStreams, MAX_PENDING_LENGTH } from '../../streams/event-streams.js';
import { AgentModels } from '../base/agent-models.js';
import { ProjectedStreams } from '../base/projected-streams.js';
import { CallProjection } from './call-projection.js';
import { formatState } from './call-state.js';
import type { Asking, Call } from './call-state.js';
import { Calls } from './calls.js';
import type { BegunCall } from './calls.js';
import { Decisions } from './decisions.js';
import { isToolError, toRpcError, unknownMethod } from './errors.js';
import { decides } from './forms.js';
import { rulesFor } from './mcp.rules.js';
import { isId, readMessage, toResponse } from './message.js';
import type { Message, Notification, Request, RpcId } from './message.js';
import { discovered, failedCall, initialized, listed } from './results.js';
import { isStateless, metaOf, readEnvelope } from './revision.js';
import { requireSessionRevision, takesForms } from './revision.js';
import { Sessions } from './sessions.js';
import type { Session } from './sessions.js';

const SSE = { maxPendingDataLength: MAX_PENDING_LENGTH };
const SESSION = 'mcp-session-id';

/** The client of a request, as far as the answer depends on it. */
interface Client {
  readonly caller: Principal;
  readonly start: StartHeaders;
  readonly response: Response;
  readonly takesStreams: boolean;
}

interface OfSession extends Client {
  readonly session: Session;
}

interface Calling extends Client {
  /** Undefined in the revision without sessions. */
  readonly session?: Session;
  readonly asking: Asking;
}

/** Codes of errors that are answered with the status 200. */
const IN_BAND: readonly string[] = ['invalid_params', 'unknown_method'];

type Answer = Promise<Observable<MessageEvent>>;

/** MCP over Streamable HTTP: the revisions with sessions, and the one without, on one path. */
@ApiExcludeController()
@Access('chat')
@Controller('mcp')
export class McpController {
  constructor(
    private readonly calls: Calls,
    private readonly decisions: Decisions,
    private readonly sessions: Sessions,
    private readonly models: AgentModels,
    private readonly streams: EventStreams,
    private readonly projected: ProjectedStreams,
  ) {}

  @Sse('', { ...SSE, method: RequestMethod.POST })
  @HttpCode(200)
  @AlsoNeeds('decide', ({ body }) => decides(body))
  async post(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Headers() headers: IncomingHttpHeaders,
    @HeadersOfStart() start: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Answer {
    const message = readMessage(body);
    if (message.kind === 'request') setRules(response, rulesFor(message.id));
    const takesStreams = /text\/event-stream|\*\/\*/.test(headers.accept ?? '');
    const client = { caller, start, response, takesStreams };
    return isStateless(message, headers)
      ? this.takeStateless(message, headers, client)
      : this.takeOfSession(message, headers, client);
  }

  /** The rest of a call whose stream was cut off; else a stream in which nothing happens. */
  @Sse('', SSE)
  async listen(
    @Caller() caller: Principal,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Answer {
    const id = headers['last-event-id'];
    if (id === undefined) {
      this.sessions.require(caller, sessionIn(headers));
      this.streams.admit(response);
      return this.streams.send(NEVER, response);
    }
    this.streams.admit(response);
    const { call, ...begun } = await this.calls.resume(caller, String(id));
    const projection = projectionOf(begun, call, caller);
    return this.projected.stream(begun.row, projection, { caller, response });
  }

  @Delete()
  @HttpCode(204)
  end(@Caller() caller: Principal, @Headers(SESSION) id: string | undefined): void {
    this.sessions.end(caller, id);
  }

  private async takeStateless(
    message: Request | Notification,
    headers: IncomingHttpHeaders,
    client: Client,
  ): Answer {
    const capabilities = readEnvelope(message, headers);
    if (message.kind !== 'request') return accept(client);
    switch (message.method) {
      case 'server/discover':
        return answer(client, message, () => discovered());
      case 'tools/list':
        return answer(client, message, () => listed(this.models.list(), message.params, true));
      case 'tools/call':
        return this.call(message, { ...client, asking: askingOf(client, capabilities) });
      default:
        throw unknownMethod(message.method);
    }
  }

  private async takeOfSession(
    message: Message,
    headers: IncomingHttpHeaders,
    client: Client,
  ): Answer {
    const { caller, response } = client;
    if (message.kind === 'request' && message.method === 'initialize') {
      const { id } = this.sessions.begin(caller, takesForms(message.params['capabilities']));
      response.set(SESSION, id);
      return answer(client, message, () => initialized(message.params));
    }
    requireSessionRevision(headers);
    const session = this.sessions.require(caller, sessionIn(headers));
    if (message.kind === 'response') await this.decisions.take(caller, message.id, message.result);
    if (message.kind === 'notification' && message.method === 'notifications/cancelled')
      await this.calls.cancel(caller, session.id, message.params['requestId']);
    return message.kind === 'request'
      ? this.takeRequest(message, { ...client, session })
      : accept(client);
  }

  private async takeRequest(message: Request, client: OfSession): Answer {
    switch (message.method) {
      case 'ping':
        return answer(client, message, () => ({}));
      case 'tools/list':
        return answer(client, message, () => listed(this.models.list(), message.params, false));
      case 'tools/call': {
        const { takesStreams, session } = client;
        const asks = session.takesForms && takesStreams && client.caller.scopes.has('decide');
        return this.call(message, { ...client, asking: asks ? 'during' : 'never' });
      }
      default:
        return answer(client, message, () => {
          throw unknownMethod(message.method);
        });
    }
  }

  private async call(message: Request, client: Calling): Answer {
    const { caller, response, start: headers, session, asking, takesStreams } = client;
    const { id, params } = message;
    this.streams.admit(response);
    let begun: BegunCall;
    try {
      begun = await this.calls.begin(caller, { id, params, session: session?.id, headers });
    } catch (error) {
      return answer(client, message, () => failedStart(error));
    }
    const token = metaOf(params)['progressToken'];
    const call = { id, progress: isId(token) ? token : undefined, asking };
    const projection = projectionOf(begun, call, caller);
    const reading = { caller, response, ...(begun.first && { first: begun.first }) };
    if (takesStreams) return this.projected.stream(begun.row, projection, reading);
    await this.projected.collect(begun.row, projection, reading);
    return answer(client, message, () => projection.result!);
  }
}

function projectionOf(begun: BegunCall, call: Call, caller: Principal): CallProjection {
  const { row, after, open } = begun;
  return new CallProjection({
    ...{ row, call, after },
    isOpen: ({ id, seq }) => seq > row.last_seq || open.has(id),
    stateAfter: (seq) => formatState(row, seq, caller),
  });
}

/** Users who may not decide are not asked: the call waits for those who may. */
function askingOf({ caller }: Client, capabilities: object): Asking {
  return takesForms(capabilities) && caller.scopes.has('decide') ? 'in_results' : 'never';
}

/** Errors that are about the request, and not about its client, are responses as results are. */
function answer({ response }: Client, { id }: Request, resultOf: () => object): Observable<never> {
  const body = answerOf(id, resultOf);
  response.status(200).json(body);
  return EMPTY;
}

function answerOf(id: RpcId, resultOf: () => object): object {
  try {
    return toResponse(id, resultOf());
  } catch (error) {
    if (error instanceof AppError && IN_BAND.includes(error.code)) return toRpcError(error, id);
    throw error;
  }
}

/** Errors that a model may mend are the result of its call; others are thrown on. */
function failedStart(error: unknown): object {
  if (!(error instanceof AppError) || !isToolError(error)) throw error;
  return failedCall(error.message, { ...error.extra, code: error.code });
}

function accept({ response }: Client): Observable<never> {
  response.status(202).end();
  return EMPTY;
}

function sessionIn(headers: IncomingHttpHeaders): string | undefined {
  const id = headers[SESSION];
  return id === undefined ? undefined : String(id);
}
