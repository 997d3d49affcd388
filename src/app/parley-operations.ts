import type { Readable } from 'node:stream';
import type { Type } from '@nestjs/common';
import { Observable } from 'rxjs';
import { ChatAccess } from '../access/chat-access.js';
import { Refusals } from '../access/refusals.js';
import { AgentTreeService } from '../agents/tree/agent-tree.service.js';
import { AgentIdDto, TreeQueryDto } from '../agents/tree/dto/agent-queries.dto.js';
import { InterveneDto } from '../agents/interventions/dto/intervene.dto.js';
import { InterventionsService } from '../agents/interventions/interventions.service.js';
import type { WantedIntervention } from '../agents/interventions/interventions.service.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { Remembered, Verdict } from '../approvals/approvals.service.js';
import { ApproveDto, RespondDto, ToolResultDto } from '../approvals/dto/decisions.dto.js';
import { RequestsQueryDto } from '../approvals/dto/request.dto.js';
import { InboxService } from '../approvals/inbox.service.js';
import type { InboxQuery } from '../approvals/inbox.service.js';
import { RequestsService } from '../approvals/requests.service.js';
import type { Answer, ClientToolResult } from '../approvals/requests.service.js';
import { requireScope } from '../auth/auth-errors.js';
import type { Principal, Scope } from '../auth/principal.js';
import { CancellationService } from '../cancellation/cancellation.service.js';
import { WaitForEnd } from '../cancellation/wait-for-end.js';
import type { CreateChat } from '../chats/chat-request.js';
import { ChatsService } from '../chats/chats.service.js';
import { CreateChatDto } from '../chats/dto/create-chat.dto.js';
import type { FollowedEvent } from '../event-log/follow/follower.js';
import { UploadService } from '../files/upload.service.js';
import { AdmissionGate } from '../streams/admission-gate.js';
import { ChatIdDto, InteractionIdDto } from '../http/input/ids.dto.js';
import { InputPipe } from '../http/input/input.pipe.js';
import { copyBody } from '../http/input/json-body.js';
import { CancelRunsDto, RunsQueryDto } from '../interactions/active/dto/runs.dto.js';
import {
  EditInteractionDto,
  StartInteractionDto,
} from '../interactions/dto/start-interaction.dto.js';
import { EventsService } from '../interactions/events.service.js';
import { InteractionView } from '../interactions/interaction-view.js';
import { checkIdempotencyKey } from '../interactions/interactions.decorators.js';
import { StartService } from '../interactions/start/start.service.js';
import type { CancelRuns, ListRuns } from '../interactions/active/run-list.js';
import { RunsService } from '../interactions/active/runs.service.js';
import type { EditedMessage, NewMessage } from '../interactions/start/start-request.js';
import { AppError } from '../kernel/app-error.js';
import { withinTenant } from '../kernel/tenant-scope.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { callerOf, invalid } from './caller-of.js';
import type { OnBehalf } from './caller-of.js';
import { followEvents } from './follow-events.js';
import type { AcceptedIntervention, InteractionTree, WholeAgent } from '../protocol/wire/agent.js';
import type { Chat } from '../protocol/wire/chat.js';
import type { FileInfo } from '../protocol/wire/file.js';
import type { Interaction } from '../protocol/wire/interaction.js';
import type { CancelledRuns, RunPage } from '../protocol/wire/run.js';
import type { RequestList } from '../protocol/wire/request.js';

export interface StartOptions extends OnBehalf {
  /** The same key and body again give the same interaction. */
  readonly idempotency_key?: string;
}

export interface FollowOptions extends OnBehalf {
  /** Events after this cursor; all of them unless given. */
  readonly after?: string;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

export interface WaitOptions extends OnBehalf {
  /** Milliseconds; a minute unless given. `Infinity`: as long as a timer can be, 24 days. */
  readonly limit_ms?: number;
  readonly signal?: AbortSignal;
}

export interface UploadOptions extends OnBehalf {
  /** The file belongs to it, and is deleted with it. */
  readonly chat_id?: string;
}

/** A page of the active interactions of a tenant, as `GET /interactions`. */
export interface ListOptions extends OnBehalf, Partial<Omit<ListRuns, 'tenant_id'>> {}

const WAIT_MS = 60_000;
/** A longer timer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** An operation needs one of its scopes, which are those of its route. */
const NEEDED_SCOPES = {
  createChat: ['chat'],
  start: ['chat'],
  edit: ['chat'],
  get: ['chat'],
  waitForEnd: ['chat'],
  follow: ['chat'],
  approve: ['decide'],
  respond: ['decide'],
  toolResult: ['decide'],
  inbox: ['chat'],
  intervene: ['decide'],
  tree: ['chat'],
  agent: ['chat'],
  upload: ['chat'],
  cancel: ['chat', 'operate'],
  cancelAll: ['operate'],
  listActive: ['operate'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

/**
 * The operations of a server, for the program that it is in. Arguments, checks, rights and errors
 * are those of the HTTP API: a method throws an `AppError` with the `code` that HTTP would return,
 * and a refusal is in the audit trail.
 */
export abstract class ParleyOperations {
  private readonly input = new InputPipe();

  protected abstract find<T>(type: Type<T>): T;

  /** Creates a chat, like `POST /chats`. */
  createChat(body: CreateChat = {}, behalf: OnBehalf = {}): Promise<Chat> {
    return this.as(behalf, 'createChat', async (caller) =>
      this.find(ChatsService).create(caller, await this.checkBody(body, CreateChatDto)),
    );
  }

  /** Starts an interaction in the background, as `POST /chats/{chat_id}/interactions` does. */
  start(chat_id: string, body: NewMessage, options: StartOptions = {}): Promise<Interaction> {
    return this.as(options, 'start', async (caller) => {
      await this.check({ chat_id }, 'param', ChatIdDto);
      const { user_message, on_conflict, ...rest } = await this.checkBody(
        body,
        StartInteractionDto,
      );
      const message = { chat_id, user_message, on_conflict, body: rest };
      return this.startWith(caller, message, options);
    });
  }

  /**
   * Replaces a message and continues from there, in the background, as
   * `POST /chats/{chat_id}/interactions/{interaction_id}/edit` does.
   */
  edit(
    chat_id: string,
    interaction_id: string,
    body: EditedMessage,
    options: StartOptions = {},
  ): Promise<Interaction> {
    return this.as(options, 'edit', async (caller) => {
      const { id: edited_from } = await this.rowOf(caller, chat_id, interaction_id);
      const { new_user_message, on_conflict, ...rest } = await this.checkBody(
        body,
        EditInteractionDto,
      );
      const message = { chat_id, user_message: new_user_message, on_conflict, body: rest };
      return this.startWith(caller, { ...message, edited_from }, options);
    });
  }

  /** @throws AppError `interaction_not_found` */
  get(chat_id: string, interaction_id: string, behalf: OnBehalf = {}): Promise<Interaction> {
    return this.as(behalf, 'get', async (caller) => {
      const row = await this.rowOf(caller, chat_id, interaction_id);
      return this.find(InteractionView).one(row);
    });
  }

  /**
   * The interaction once it has ended, or waits for a person; as it is when `limit_ms` is over, or
   * the server shuts down.
   */
  waitForEnd(
    chat_id: string,
    interaction_id: string,
    { limit_ms = WAIT_MS, signal, ...behalf }: WaitOptions = {},
  ): Promise<Interaction> {
    return this.as(behalf, 'waitForEnd', async (caller) => {
      const row = await this.rowOf(caller, chat_id, interaction_id);
      await this.find(WaitForEnd).orRequest(row.id, {
        limit_ms: timerOf(limit_ms),
        ...(signal && { signal }),
      });
      return this.find(InteractionView).one(await this.rowOf(caller, chat_id, interaction_id));
    });
  }

  /**
   * The events of an interaction, past and live, each with the cursor after it. Ends after
   * `INTERACTION_COMPLETE`, when the chat is hidden from the user, and when the server shuts down.
   * @throws AppError `log_unreadable`, or `log_went_back`: begin again without a cursor
   */
  async *follow(
    chat_id: string,
    interaction_id: string,
    { after, signal, ...behalf }: FollowOptions = {},
  ): AsyncGenerator<FollowedEvent, void> {
    const events = this.find(EventsService);
    const { caller, row, from } = await this.as(behalf, 'follow', async (principal) => {
      if (after !== undefined && typeof after !== 'string')
        throw invalid('after', 'must be a string');
      const found = await this.rowOf(principal, chat_id, interaction_id);
      const sent = after === undefined ? undefined : ({ field: 'after', text: after } as const);
      return { caller: principal, row: found, from: events.position(found, sent) };
    });
    if (!from) return;
    const { closed } = this.find(AdmissionGate);
    yield* followEvents({
      from,
      signal: signal ? AbortSignal.any([closed, signal]) : closed,
      open: (cursor, backlog) => {
        const options = { caller, from: cursor, trace: false, backlog };
        return new Observable((reader) =>
          withinTenant(caller.tenant_id, () => events.follow(row, options).subscribe(reader)),
        );
      },
    });
  }

  /** Approves, changes or rejects one tool call, as `POST …/approve`. */
  approve(
    chat_id: string,
    interaction_id: string,
    body: Verdict,
    behalf: OnBehalf = {},
  ): Promise<Remembered | undefined> {
    return this.as(behalf, 'approve', async (caller) => {
      const owner = await this.checkIds(chat_id, interaction_id);
      const verdict = await this.checkBody(body, ApproveDto);
      return this.find(ApprovalsService).decide(caller, owner, verdict);
    });
  }

  /** Answers a question, or declines to, as `POST …/respond`. */
  respond(
    chat_id: string,
    interaction_id: string,
    body: Answer,
    behalf: OnBehalf = {},
  ): Promise<void> {
    return this.as(behalf, 'respond', async (caller) => {
      const owner = await this.checkIds(chat_id, interaction_id);
      const answer = await this.checkBody(body, RespondDto);
      await this.find(RequestsService).respond(caller, owner, answer);
    });
  }

  /** Gives the result of a tool that your program runs, as `POST …/tool-results`. */
  toolResult(
    chat_id: string,
    interaction_id: string,
    body: ClientToolResult,
    behalf: OnBehalf = {},
  ): Promise<void> {
    return this.as(behalf, 'toolResult', async (caller) => {
      const owner = await this.checkIds(chat_id, interaction_id);
      const result = await this.checkBody(body, ToolResultDto);
      await this.find(RequestsService).takeToolResult(caller, owner, result);
    });
  }

  /** A page of the requests that wait for a person or a client, as `GET /requests`. */
  inbox({ tenant_id, user_id, scopes, ...query }: OnBehalf & Partial<InboxQuery> = {}) {
    return this.as<RequestList>({ tenant_id, user_id, scopes }, 'inbox', async (caller) =>
      this.find(InboxService).list(caller, await this.check(query, 'query', RequestsQueryDto)),
    );
  }

  /** Tells an agent something, changes its task, or stops it: `POST …/intervene`. */
  intervene(
    agent_id: string,
    body: WantedIntervention,
    behalf: OnBehalf = {},
  ): Promise<AcceptedIntervention> {
    return this.as(behalf, 'intervene', async (caller) => {
      await this.check({ agent_id }, 'param', AgentIdDto);
      const wanted = await this.checkBody(body, InterveneDto);
      return this.find(InterventionsService).intervene(caller, agent_id, wanted);
    });
  }

  /** The agents of an interaction, as `GET /agents/tree?interaction_id=…`. */
  tree(interaction_id: string, behalf: OnBehalf = {}): Promise<InteractionTree> {
    return this.as(behalf, 'tree', async (caller) =>
      this.find(AgentTreeService).tree(
        caller,
        await this.check({ interaction_id }, 'query', TreeQueryDto),
      ),
    );
  }

  /** Returns an agent with its messages, like `GET /agents/{agent_id}`. */
  agent(agent_id: string, behalf: OnBehalf = {}): Promise<WholeAgent> {
    return this.as(behalf, 'agent', async (caller) => {
      await this.check({ agent_id }, 'param', AgentIdDto);
      return this.find(AgentTreeService).agent(caller, agent_id);
    });
  }

  /** Adds a file, as `POST /files`; its type is found out from its content. */
  upload(
    filename: string,
    content: Readable,
    { chat_id, ...behalf }: UploadOptions = {},
  ): Promise<FileInfo> {
    return this.as(behalf, 'upload', (caller) => {
      this.find(AdmissionGate).requireOpen();
      if (typeof filename !== 'string') throw invalid('filename', 'must be a string');
      const fields = new Map(chat_id === undefined ? [] : [['chat_id', chat_id]]);
      return this.find(UploadService).upload(caller, {
        expected: 0,
        read: async (take) => ({ taken: await take({ filename, content, fields }), fields }),
      });
    });
  }

  /** Stops an interaction; `follow` tells when it has ended. @throws AppError `already_ended` */
  async cancel(chat_id: string, interaction_id: string, behalf: OnBehalf = {}): Promise<void> {
    await this.as(behalf, 'cancel', async (caller) => {
      await this.checkIds(chat_id, interaction_id);
      await this.find(CancellationService).requestByUser(caller, chat_id, interaction_id);
    });
  }

  /** Stops several interactions, or all of the tenant, as `POST /interactions/cancel`. */
  cancelAll(body: CancelRuns = { all: true }, behalf: OnBehalf = {}): Promise<CancelledRuns> {
    return this.as(behalf, 'cancelAll', async (caller) =>
      this.find(RunsService).cancel(caller, await this.checkBody(body, CancelRunsDto)),
    );
  }

  /**
   * Active and queued interactions of the tenant, also those of other users, oldest first.
   * `next_cursor`: null on the last page.
   */
  listActive({ tenant_id, user_id, scopes, ...query }: ListOptions = {}): Promise<RunPage> {
    return this.as({ tenant_id, user_id, scopes }, 'listActive', async (caller) =>
      this.find(RunsService).list(caller, await this.check(query, 'query', RunsQueryDto)),
    );
  }

  private async startWith(
    caller: Principal,
    message: Omit<
      Parameters<StartService['start']>[0],
      'caller' | 'idempotency_key' | 'background'
    >,
    { idempotency_key }: StartOptions,
  ): Promise<Interaction> {
    const { interaction } = await this.find(StartService).start({
      ...{ caller, ...message, background: true },
      idempotency_key: checkIdempotencyKey(idempotency_key),
    });
    return this.find(InteractionView).one(interaction);
  }

  private async as<T>(
    behalf: OnBehalf,
    operation: keyof typeof NEEDED_SCOPES,
    work: (caller: Principal) => Promise<T>,
  ): Promise<T> {
    const caller = callerOf(behalf);
    try {
      requireScope(caller, ...NEEDED_SCOPES[operation]);
      return await withinTenant(caller.tenant_id, () => work(caller));
    } catch (error) {
      await this.noteRefusal(caller, operation, error);
      throw error;
    }
  }

  private async noteRefusal(caller: Principal, operation: string, error: unknown): Promise<void> {
    if (!(error instanceof AppError) || error.kind !== 'forbidden') return;
    const { scope } = error.extra as { readonly scope?: Scope };
    await this.find(Refusals).note(caller, {
      ...{ code: error.code, operation },
      ...(scope !== undefined && { scope }),
    });
  }

  private async rowOf(
    caller: Principal,
    chat_id: string,
    interaction_id: string,
  ): Promise<InteractionRow> {
    await this.checkIds(chat_id, interaction_id);
    return this.find(ChatAccess).interaction(caller, chat_id, interaction_id);
  }

  private checkIds(chat_id: string, interaction_id: string): Promise<InteractionIdDto> {
    return this.check({ chat_id, interaction_id }, 'param', InteractionIdDto);
  }

  private checkBody<T>(body: object, metatype: Type<T>): Promise<T> {
    return this.check(copyBody(body), 'body', metatype);
  }

  private async check<T>(
    value: object,
    type: 'body' | 'param' | 'query',
    metatype: Type<T>,
  ): Promise<T> {
    return (await this.input.transform(value, { type, metatype })) as T;
  }
}

function timerOf(limit_ms: number): number {
  if (typeof limit_ms !== 'number' || Number.isNaN(limit_ms))
    throw invalid('limit_ms', 'must be a number of milliseconds');
  return Math.min(Math.max(limit_ms, 0), MAX_TIMER_MS);
}
