import { Body, Controller, Headers, HttpCode, Param, Query, RequestMethod } from '@nestjs/common';
import { Res, Sse } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { EMPTY } from 'rxjs';
import type { Observable } from 'rxjs';
import { ChatAccess } from '../../access/chat-access.js';
import { Access, AlsoNeeds } from '../../auth/access.decorator.js';
import type { RequestOwner } from '../../approvals/request-errors.js';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { ChatsService } from '../../chats/chats.service.js';
import { InputPipe } from '../../http/input/input.pipe.js';
import { StartInteractionDto } from '../../interactions/dto/start-interaction.dto.js';
import { HeadersOfStart } from '../../interactions/interactions.decorators.js';
import { StartService } from '../../interactions/start/start.service.js';
import type { StartHeaders } from '../../interactions/start/start-request.js';
import { isObject } from '../../kernel/json/json.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { isFinal } from '../../protocol/interaction.js';
import { EventStreams, MAX_PENDING_LENGTH } from '../../streams/event-streams.js';
import { AgentModels } from '../base/agent-models.js';
import { Branches, namedMessage } from '../base/branches.js';
import { ProjectedStreams } from '../base/projected-streams.js';
import { RequestDecisions } from '../base/request-decisions.js';
import type { Reading } from '../base/projected-streams.js';
import { Decisions, answerEnded } from './decisions.js';
import { decides, readRequest, toPlaced, versionOf } from './to-start.js';
import type { AskedContinuation, AskedMessage } from './to-start.js';
import type { AiSdkVersion } from './ui-chunk.js';
import { UiMessageStream } from './ui-message-stream.js';

const SSE = { maxPendingDataLength: MAX_PENDING_LENGTH };

interface Asking extends Pick<Reading, 'caller' | 'response' | 'first'> {
  readonly version: AiSdkVersion;
}

/** Where a stream begins, and the requests that are open then. */
interface Beginning {
  readonly after: number;
  readonly open: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** The AI SDK's UI message stream, for its transport. */
@ApiExcludeController()
@Access('chat')
@Controller('ai-sdk/chat')
export class AiSdkController {
  private readonly pipe = new InputPipe();

  constructor(
    private readonly starts: StartService,
    private readonly branches: Branches,
    private readonly decisions: Decisions,
    private readonly requests: RequestDecisions,
    private readonly chats: ChatsService,
    private readonly access: ChatAccess,
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
    @Query('v') query: unknown,
    @Headers('x-ai-sdk-version') header: string | undefined,
    @HeadersOfStart() headers: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const asking = { caller, response, version: versionOf(query, header) };
    const asked = readRequest(body);
    this.streams.admit(response);
    return asked.kind === 'message'
      ? this.start(asked, headers, asking)
      : this.continue(asked, asking);
  }

  /** From the start of the message: clients have no cursor. */
  @Sse(':chat_id/stream', SSE)
  async resume(
    @Caller() caller: Principal,
    @Param('chat_id') chat_id: string,
    @Query('v') query: unknown,
    @Headers('x-ai-sdk-version') header: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const asking = { caller, response, version: versionOf(query, header) };
    const row = await this.findActive(caller, chat_id);
    if (!row) {
      response.status(204).end();
      return EMPTY;
    }
    this.streams.admit(response);
    const open = await this.requests.open(caller, ownerOf(row));
    return this.stream(row, { after: 0, open }, asking);
  }

  private async start(
    asked: AskedMessage,
    headers: StartHeaders,
    asking: Asking,
  ): Promise<Observable<MessageEvent>> {
    const { caller } = asking;
    const { chat_id, user_message } = asked;
    const placed = toPlaced(asked);
    const { on_conflict, ...body } = await this.optionsOf(asked, namedMessage(placed));
    const place = await this.branches.place(caller, placed);
    const started = await this.starts.start({
      ...{ caller, chat_id, user_message, body, background: false, ...headers, ...place },
      on_conflict: place && on_conflict === 'enqueue' ? 'interrupt' : on_conflict,
    });
    const { interaction: row } = started;
    const first = started.outcome === 'started' && { first: started.first };
    const isNew = started.outcome !== 'repeated';
    const open = isNew ? NONE : await this.requests.open(caller, ownerOf(row));
    return this.stream(row, { after: 0, open }, { ...asking, ...first });
  }

  /** A message interrupts what runs: a client that was stopped tells the server nothing. */
  private async optionsOf({ user_message, options }: AskedMessage, named: object) {
    const { model, agent, metadata = {}, ...others } = options;
    const found = typeof model === 'string' ? this.models.find(model) : undefined;
    const given = {
      ...{ on_conflict: 'interrupt', ...others, user_message },
      ...(found ?? (model !== undefined && { model })),
      ...(agent !== undefined && { agent }),
      metadata: isObject(metadata) ? { ...metadata, ...named } : metadata,
    };
    const type = { type: 'body', metatype: StartInteractionDto } as const;
    const dto = (await this.pipe.transform(given, type)) as StartInteractionDto;
    const { user_message: __, ...checked } = dto;
    return checked;
  }

  private async continue(
    asked: AskedContinuation,
    asking: Asking,
  ): Promise<Observable<MessageEvent>> {
    const { caller } = asking;
    const { chat_id, interaction_id, seq } = asked;
    const row = await this.access.interaction(caller, chat_id, interaction_id);
    const after = Math.min(seq ?? row.last_seq, row.last_seq);
    const open = await this.decisions.take(caller, asked);
    if (isFinal(row.status) && after === row.last_seq) throw answerEnded();
    return this.stream(row, { after, open }, asking);
  }

  private stream(
    row: InteractionRow,
    { after, open }: Beginning,
    { version, caller, response, first }: Asking,
  ): Observable<MessageEvent> {
    const client_tools = new Set(row.settings.client_tools.map(({ name }) => name));
    const stream = new UiMessageStream({
      ...{ version, client_tools, after },
      isOpen: ({ id, seq }) => seq > row.last_seq || open.has(id),
    });
    response.set('x-vercel-ai-ui-message-stream', 'v1');
    return this.projected.stream(row, stream, { caller, response, ...(first && { first }) });
  }

  /** Undefined if nothing runs, waits or is about to in a chat that the caller sees. */
  private async findActive(caller: Principal, id: string): Promise<InteractionRow | undefined> {
    const chat = await this.access.findChat(caller, id);
    if (!chat) return undefined;
    const { active_interaction_id, interactions } = await this.chats.get(caller, id, { limit: 1 });
    const active = active_interaction_id ?? interactions.at(-1)?.id;
    const row = active && (await this.access.interaction(caller, id, active));
    return row && !isFinal(row.status) ? row : undefined;
  }
}

function ownerOf({ id: interaction_id, chat_id }: InteractionRow): RequestOwner {
  return { chat_id, interaction_id };
}
