import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../../access/chat-access.js';
import type { RequestOwner } from '../../../approvals/request-errors.js';
import type { Principal } from '../../../auth/principal.js';
import { StartService } from '../../../interactions/start/start.service.js';
import type { StartHeaders } from '../../../interactions/start/start-request.js';
import { AppError } from '../../../kernel/app-error.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import { AgentModels } from '../../base/agent-models.js';
import { checkOptions } from '../../base/check-options.js';
import { ProjectedStreams } from '../../base/projected-streams.js';
import { RequestDecisions } from '../../base/request-decisions.js';
import { parseCallId } from '../ids.js';
import { modelNotFound } from '../models.controller.js';
import { invalidBody } from '../parameters.js';
import { Parts } from '../parts.js';
import type { ChatRequest, GivenResult } from './chat-body.js';
import { KnownHistories } from './known-histories.js';
import type { Place } from './known-histories.js';

/** The part of an interaction that answers a request. */
export interface Begun {
  readonly row: InteractionRow;
  /** The last record before the part; 0: all of it. */
  readonly after: number;
  /** Record 1, if it is known. */
  readonly first?: LogRecord;
}

/** Chat completions as starts, answers and results. */
@Injectable()
export class ChatStarts {
  constructor(
    private readonly models: AgentModels,
    private readonly histories: KnownHistories,
    private readonly starts: StartService,
    private readonly decisions: RequestDecisions,
    private readonly projected: ProjectedStreams,
    private readonly access: ChatAccess,
  ) {}

  /** @throws AppError `model_not_found` (404), and as the use cases that it calls */
  async begin(caller: Principal, request: ChatRequest, headers: StartHeaders): Promise<Begun> {
    const { last } = request;
    if (typeof last !== 'string') return this.giveResults(caller, last);
    const model = this.models.find(request.model);
    if (!model) throw modelNotFound(this.models, request.model);
    const { chat_id, ...metadata } = request.metadata;
    const answered = chat_id === undefined && (await this.respond(caller, request, last));
    if (answered) return answered;
    const { client_tools, options } = request;
    const body = await checkOptions({ ...model, ...options, client_tools, metadata });
    const place = await this.placeOf(caller, request, last, chat_id);
    const started = await this.starts.start({
      ...{
        caller,
        ...place,
        user_message: last,
        on_conflict: 'reject' as const,
        background: false,
      },
      ...headers,
      body,
    });
    const first = started.outcome === 'started' && { first: started.first };
    return { row: started.interaction, after: 0, ...first };
  }

  /** A question waits for the next message. Undefined if the history ends with none. */
  private async respond(
    caller: Principal,
    { history }: ChatRequest,
    answer: string,
  ): Promise<Begun | undefined> {
    const question = await this.histories.findQuestion({ caller, history, last: answer });
    if (!question) return undefined;
    const { request_id, interaction_id } = question;
    const row = await this.access.interactionById(caller, interaction_id);
    await this.decisions.respond(caller, ownerOf(row), { request_id, answer });
    return { row, after: row.last_seq };
  }

  private async placeOf(
    caller: Principal,
    { history }: ChatRequest,
    last: string,
    chat_id: unknown,
  ): Promise<Place> {
    if (chat_id === undefined) return this.histories.placeOf({ caller, history, last });
    if (typeof chat_id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(chat_id)) return { chat_id };
    throw invalidBody('metadata.chat_id', 'must be 1 to 64 letters, digits, _ or -');
  }

  /** All results that the interaction waits for: models read those of a turn at once. */
  private async giveResults(caller: Principal, results: readonly GivenResult[]): Promise<Begun> {
    const parsed = results.map(({ tool_call_id, content }) => {
      const id = parseCallId(tool_call_id);
      if (!id) throw unknownCall(tool_call_id);
      return { ...id, content };
    });
    const { interaction_id } = parsed[0]!;
    const other = parsed.find((each) => each.interaction_id !== interaction_id);
    if (other) throw invalidBody('messages', 'end with results for different answers');
    const row = await this.access.interactionById(caller, interaction_id);
    const ids = parsed.map(({ call_id }) => call_id);
    await this.requireAll(caller, row, new Set(ids));
    const parts = new Parts();
    await this.projected.catchUp(row, parts, caller);
    for (const { call_id: tool_call_id, content: tool_output } of parsed)
      await this.decisions.giveResult(caller, ownerOf(row), { tool_call_id, tool_output });
    return { row, after: parts.settling(ids) };
  }

  /** A request that is repeated may find that the interaction waits for others by now. */
  private async requireAll(
    caller: Principal,
    row: InteractionRow,
    given: ReadonlySet<string>,
  ): Promise<void> {
    const pending = await this.decisions.list(caller, ownerOf(row), 'pending');
    const calls = pending.flatMap((each) => (each.kind === 'tool' ? callOf(each) : []));
    const missing = calls.find((call) => !given.has(call));
    if (missing === undefined || !calls.some((call) => given.has(call))) return;
    throw invalidBody('messages', `lack the result of the call ${missing}`);
  }
}

function ownerOf({ id: interaction_id, chat_id }: InteractionRow): RequestOwner {
  return { chat_id, interaction_id };
}

function callOf(item: Readonly<Record<string, unknown>>): string {
  return String(item['tool_call_id']);
}

function unknownCall(id: string): AppError {
  const message = `There is no call ${id.slice(0, 100)} that waits for a result. Send the id of the call as it came.`;
  return new AppError('not_found', 'tool_call_not_found', message, {
    errors: [{ field: 'messages', message }],
  });
}
