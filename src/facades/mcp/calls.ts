import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../access/chat-access.js';
import type { Principal } from '../../auth/principal.js';
import { CancellationService } from '../../cancellation/cancellation.service.js';
import { StartService } from '../../interactions/start/start.service.js';
import { RunsService } from '../../interactions/active/runs.service.js';
import type { StartHeaders } from '../../interactions/start/start-request.js';
import { AppError } from '../../kernel/app-error.js';
import { Ids } from '../../kernel/ids.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import { AgentModels } from '../base/agent-models.js';
import { requireShort } from '../base/require-short.js';
import { Decisions } from './decisions.js';
import { formatOrigin, hasOrigin, isSigned, parseEventId, parseState } from './call-state.js';
import type { Call } from './call-state.js';
import { invalidParams } from './errors.js';
import type { RpcId } from './message.js';

const CHAT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The call of a tool, as its client sent it. */
export interface CallRequest {
  readonly id: RpcId;
  readonly params: Readonly<Record<string, unknown>>;
  /** Undefined in a revision without sessions. */
  readonly session: string | undefined;
  readonly headers: StartHeaders;
}

/** An interaction that a call is about. */
export interface BegunCall {
  readonly row: InteractionRow;
  /** The last record that the client has heard of. */
  readonly after: number;
  /** Ids of its requests that were open. */
  readonly open: ReadonlySet<string>;
  /** Record 1, if it is known. */
  readonly first?: LogRecord;
}

/** Calls of tools as interactions. */
@Injectable()
export class Calls {
  constructor(
    private readonly models: AgentModels,
    private readonly starts: StartService,
    private readonly runs: RunsService,
    private readonly cancellation: CancellationService,
    private readonly decisions: Decisions,
    private readonly access: ChatAccess,
    private readonly ids: Ids,
  ) {}

  /**
   * A call with a `requestState` goes on with its interaction; another one starts.
   * @throws AppError `invalid_params` (400), and as the use cases that it calls
   */
  async begin(caller: Principal, request: CallRequest): Promise<BegunCall> {
    const { name, requestState } = request.params;
    const agent = this.models.list().find(({ id }) => id === name);
    if (!agent) throw invalidParams('name', `${this.describe(name)} is no tool of the server`);
    if (requestState === undefined) return this.start(caller, agent.id, request);
    const { row, seq: after } = await this.continued(caller, requestState);
    if (row.agent !== agent.id)
      throw invalidParams('requestState', 'is of the call of another tool');
    const open = await this.decisions.takeAll(caller, row, request.params['inputResponses']);
    return { row, after, open };
  }

  /**
   * A call whose client was cut off after an event.
   * @throws AppError `interaction_not_found` (404)
   */
  async resume(caller: Principal, event_id: string): Promise<BegunCall & { readonly call: Call }> {
    const cutOff = parseEventId(event_id);
    if (!cutOff) throw unknownEvent();
    const { call, position } = cutOff;
    const { interaction_id, seq: after } = position;
    const row = await this.access
      .interactionById(caller, interaction_id)
      .catch(orElse(unknownEvent));
    return { call, row, after, open: await this.decisions.open(caller, row) };
  }

  /** Cancels a call that runs; one that has ended, or is not known, is left alone. */
  async cancel(caller: Principal, session: string, id: unknown): Promise<void> {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const row = await this.runs.findOwn(caller, (each) => hasOrigin(each, session, id));
    if (!row) return;
    try {
      await this.cancellation.requestByUser(caller, row.chat_id, row.id);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'already_ended') throw error;
    }
  }

  private async start(
    caller: Principal,
    agent: string,
    { id, params, session, headers }: CallRequest,
  ): Promise<BegunCall> {
    const { message, chat_id } = readArguments(params['arguments']);
    const started = await this.starts.start({
      ...{ caller, user_message: message, on_conflict: 'reject', background: false, ...headers },
      chat_id: chat_id ?? this.ids.make('chat'),
      body: { agent, ...(session !== undefined && { metadata: formatOrigin(session, id) }) },
    });
    const { interaction: row } = started;
    const isRepeated = started.outcome === 'repeated';
    const open = isRepeated ? await this.decisions.open(caller, row) : new Set<string>();
    const first = started.outcome === 'started' && { first: started.first };
    return { row, after: 0, open, ...first };
  }

  private async continued(
    caller: Principal,
    state: unknown,
  ): Promise<{ readonly row: InteractionRow; readonly seq: number }> {
    if (typeof state !== 'string') throw invalidState();
    const position = parseState(state);
    if (!position) throw invalidState();
    const { interaction_id, seq } = position;
    const row = await this.access
      .interactionById(caller, interaction_id)
      .catch(orElse(invalidState));
    if (!isSigned(state, row, caller)) throw invalidState();
    return { row, seq };
  }

  private describe(name: unknown): string {
    return typeof name === 'string' ? JSON.stringify(name.slice(0, 64)) : 'it';
  }
}

/** @throws AppError `invalid_arguments` (400), `body_too_large` (413) */
function readArguments(given: unknown): { message: string; chat_id?: string } {
  const { message, chat_id } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof message !== 'string' || !/\S/.test(message))
    throw invalidArguments('message', 'has to be a text that is not empty');
  requireShort(message);
  if (chat_id === undefined || chat_id === null) return { message };
  if (typeof chat_id === 'string' && CHAT_ID.test(chat_id)) return { message, chat_id };
  throw invalidArguments('chat_id', 'has to be 1 to 64 letters, digits, _ or -');
}

function invalidArguments(field: string, fault: string): AppError {
  const message = `The argument ${field} ${fault}.`;
  const errors = [{ field: `arguments.${field}`, message }];
  return new AppError('invalid', 'invalid_arguments', message, { errors });
}

function invalidState(): AppError {
  return invalidParams('requestState', 'is not as the server gave it to you, or its chat is gone');
}

function unknownEvent(): AppError {
  const message = 'There is no call with the event that Last-Event-ID names, or you don’t see it.';
  return new AppError('not_found', 'interaction_not_found', message);
}

/** Throws another error for what the caller does not see. */
function orElse(other: () => AppError): (error: unknown) => never {
  return (error) => {
    throw error instanceof AppError && error.kind === 'not_found' ? other() : error;
  };
}
