import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../../access/chat-access.js';
import type { RequestOwner } from '../../../approvals/request-errors.js';
import type { Principal } from '../../../auth/principal.js';
import { ChatsService } from '../../../chats/chats.service.js';
import { StartService } from '../../../interactions/start/start.service.js';
import type { StartHeaders } from '../../../interactions/start/start-request.js';
import { AppError } from '../../../kernel/app-error.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { Message } from '../../../protocol/message.js';
import { isWaiting } from '../../../protocol/interaction.js';
import { AgentModels } from '../../base/agent-models.js';
import { checkOptions } from '../../base/check-options.js';
import { RequestDecisions } from '../../base/request-decisions.js';
import { requireShort } from '../../base/require-short.js';
import { KnownHistories } from '../chat/known-histories.js';
import type { Place } from '../chat/known-histories.js';
import { parseCallId } from '../ids.js';
import { modelNotFound } from '../models.controller.js';
import { invalidBody, unsupported } from '../parameters.js';
import { KnownResponses } from './known-responses.js';
import type { KnownResponse } from './known-responses.js';
import type { ResponseRequest } from './response-body.js';
import { withPrevious } from './response-metadata.js';

const CHAT_ID = /^[A-Za-z0-9_-]{1,64}$/;
const PREVIOUS = 'previous_response_id';

/** The response that answers a request. */
interface Begun extends KnownResponse {
  /** Record 1, if it is known. */
  readonly first?: LogRecord;
  /** Requests that still wait after it. */
  readonly waiting?: ReadonlySet<string>;
}

/** Requests for responses as starts, answers, verdicts and results. */
@Injectable()
export class ResponseStarts {
  constructor(
    private readonly models: AgentModels,
    private readonly known: KnownResponses,
    private readonly histories: KnownHistories,
    private readonly starts: StartService,
    private readonly decisions: RequestDecisions,
    private readonly chats: ChatsService,
    private readonly access: ChatAccess,
  ) {}

  /** @throws AppError as the use cases that it calls */
  async begin(caller: Principal, request: ResponseRequest, headers: StartHeaders): Promise<Begun> {
    const { last, previous_response_id: id } = request;
    const previous = id === undefined ? undefined : await this.known.find(caller, id, PREVIOUS);
    const row = previous?.row;
    if (last === undefined) return this.answer(caller, row, request);
    const answered = row && isWaiting(row.status) && (await this.respond(caller, row, last));
    if (answered) return answered;
    return this.start(caller, { ...request, last, row }, headers);
  }

  private async start(
    caller: Principal,
    request: ResponseRequest & { readonly last: string; readonly row: InteractionRow | undefined },
    headers: StartHeaders,
  ): Promise<Begun> {
    requireShort(request.last);
    const model = this.models.find(request.model);
    if (!model) throw modelNotFound(this.models, request.model);
    const { last: user_message, background, client_tools, options } = request;
    const { previous_response_id = null } = request;
    const metadata = withPrevious(request.metadata, previous_response_id);
    const body = await checkOptions({ ...model, ...options, client_tools, metadata });
    const place = await this.placeOf(caller, request);
    const started = await this.starts.start({
      ...{ caller, ...place, ...headers, user_message, background },
      on_conflict: 'reject',
      body,
    });
    const first = started.outcome === 'started' && { first: started.first };
    return { row: started.interaction, after: 0, previous_response_id, ...first };
  }

  private async placeOf(
    caller: Principal,
    {
      row,
      conversation,
      history,
      last,
      instructions,
    }: ResponseRequest & { readonly last: string; readonly row: InteractionRow | undefined },
  ): Promise<Place> {
    const chat_id = row?.chat_id ?? conversation;
    const prelude: Message[] =
      instructions === undefined ? [] : [{ role: 'system', content: instructions }];
    if (chat_id === undefined)
      return this.histories.placeOf({ caller, history: [...prelude, ...history], last });
    if (!CHAT_ID.test(chat_id))
      throw invalidBody('conversation', 'must be 1 to 64 letters, digits, _ or -');
    if (history.length > 0)
      throw unsupported('input', 'of a conversation that the server has is its next message alone');
    await this.requirePrelude(caller, chat_id, prelude);
    return row ? this.histories.placeAfter(caller, row) : { chat_id };
  }

  /** A new chat begins with the instructions; a chat that there is keeps those that it has. */
  private async requirePrelude(
    caller: Principal,
    chat_id: string,
    [prelude]: readonly Message[],
  ): Promise<void> {
    if (!prelude) return;
    const chat = await this.access.findChat(caller, chat_id);
    if (!chat) return void (await this.chats.create(caller, { id: chat_id, messages: [prelude] }));
    const query = { limit: 1 };
    const { messages } = await this.chats.get(caller, chat_id, query);
    if (messages[0]?.role === 'system' && messages[0].content === prelude.content) return;
    throw unsupported('instructions', 'can’t be changed in a conversation: leave them out');
  }

  /** A question waits for the next message. Undefined if there is none. */
  private async respond(
    caller: Principal,
    row: InteractionRow,
    answer: string,
  ): Promise<Begun | undefined> {
    const owner = ownerOf(row);
    const pending = await this.decisions.list(caller, owner, 'pending');
    const question = pending.find(({ kind }) => kind === 'input');
    if (!question) return undefined;
    const parts = await this.known.partsOf(caller, row);
    await this.decisions.respond(caller, owner, { request_id: question.id, answer });
    return this.begun(caller, this.known.partOf(row, parts, parts.last));
  }

  private async answer(
    caller: Principal,
    previous: InteractionRow | undefined,
    request: ResponseRequest,
  ): Promise<Begun> {
    const row = previous ?? (await this.answered(caller, request));
    const owner = ownerOf(row);
    const results = request.outputs.map(({ call_id, output: tool_output }) => {
      const id = parseCallId(call_id);
      if (id?.interaction_id !== row.id) throw unknownCall(call_id);
      return { tool_call_id: id.call_id, tool_output };
    });
    const verdicts = await Promise.all(
      request.verdicts.map((each) => this.decisions.readVerdict({ ...each })),
    );
    const parts = await this.known.partsOf(caller, row);
    for (const verdict of verdicts) await this.decisions.decide(caller, owner, verdict);
    for (const result of results) await this.decisions.giveResult(caller, owner, result);
    const ids = [
      ...verdicts.map(({ approval_id }) => approval_id),
      ...results.map(({ tool_call_id }) => tool_call_id),
    ];
    return this.begun(caller, this.known.partOf(row, parts, parts.settling(ids)));
  }

  private async begun(caller: Principal, part: KnownResponse): Promise<Begun> {
    return { ...part, waiting: await this.decisions.open(caller, ownerOf(part.row)) };
  }

  /** The interaction of the call, else the conversation's last: it may be answered already. */
  private async answered(
    caller: Principal,
    { conversation, outputs }: ResponseRequest,
  ): Promise<InteractionRow> {
    const call = outputs[0] && parseCallId(outputs[0].call_id);
    if (call) return this.access.interactionById(caller, call.interaction_id);
    if (conversation === undefined)
      throw invalidBody('previous_response_id', 'is needed: it says which response is answered');
    const query = { limit: 1 };
    const { active_interaction_id, head_interaction_id } = await this.chats.get(
      caller,
      conversation,
      query,
    );
    const id = active_interaction_id ?? head_interaction_id;
    if (id === null) throw invalidBody('input', 'answers nothing: the conversation is empty');
    return this.access.interactionById(caller, id);
  }
}

function ownerOf({ id: interaction_id, chat_id }: InteractionRow): RequestOwner {
  return { chat_id, interaction_id };
}

function unknownCall(id: string): AppError {
  const message = `There is no call ${id.slice(0, 100)} in the response that is answered.`;
  const errors = [{ field: 'input', message }];
  return new AppError('not_found', 'tool_call_not_found', message, { errors });
}
