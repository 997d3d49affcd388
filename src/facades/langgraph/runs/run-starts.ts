import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../../access/chat-access.js';
import type { Principal } from '../../../auth/principal.js';
import { ChatsService } from '../../../chats/chats.service.js';
import { InputPipe } from '../../../http/input/input.pipe.js';
import { StartInteractionDto } from '../../../interactions/dto/start-interaction.dto.js';
import { StartService } from '../../../interactions/start/start.service.js';
import type { Accepted } from '../../../interactions/start/start-errors.js';
import type {
  RunOptions,
  StartHeaders,
  StartRequest,
} from '../../../interactions/start/start-request.js';
import { AppError } from '../../../kernel/app-error.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import { AgentModels } from '../../base/agent-models.js';
import { assistantNotFound, threadBusy } from '../errors.js';
import { answersIn, notOpen } from '../interrupts/read-resume.js';
import { Interrupts } from '../interrupts/interrupts.js';
import { Forks } from './forks.js';
import type { PlacedMessage } from './forks.js';
import type { RunRequest } from './run-body.js';

/** A run that has begun. */
export interface Begun {
  readonly row: InteractionRow;
  /** The record that it goes on after; 0: it begins with the interaction. */
  readonly after: number;
  /** Requests that are open. */
  readonly open: ReadonlySet<string>;
  readonly first?: LogRecord;
}

interface Asking {
  readonly caller: Principal;
  readonly chat_id: string;
  readonly headers: StartHeaders;
  /** True: the client reads no stream. */
  readonly background: boolean;
}

const NONE: ReadonlySet<string> = new Set();
const ACTIVE = { limit: 1 };

/** Runs as starts, edits and answers. */
@Injectable()
export class RunStarts {
  private readonly pipe = new InputPipe();

  constructor(
    private readonly access: ChatAccess,
    private readonly chats: ChatsService,
    private readonly models: AgentModels,
    private readonly forks: Forks,
    private readonly interrupts: Interrupts,
    private readonly starts: StartService,
  ) {}

  /** @throws AppError `thread_busy` (422), and as the use cases that it calls */
  async begin(asking: Asking, request: RunRequest): Promise<Begun> {
    const { caller, chat_id } = asking;
    const chat = await this.access.findChat(caller, chat_id);
    if (!chat && !request.createsThread) await this.access.chat(caller, chat_id);
    if (request.resume) return this.resume(caller, chat_id, request.resume);
    if (!chat) await this.createWithHistory(caller, chat_id, request);
    return this.start(asking, request);
  }

  private async start(asking: Asking, request: RunRequest): Promise<Begun> {
    const { caller, chat_id } = asking;
    const model = this.models.find(request.assistant_id);
    if (!model) throw assistantNotFound(request.assistant_id);
    const { multitask_strategy: strategy, checkpoint_id } = request;
    const placed = await this.forks.place(caller, chat_id, request);
    const replaced = strategy === 'rollback' && checkpoint_id === undefined;
    const edited_from = placed.edited_from ?? (replaced ? await this.activeOf(asking) : undefined);
    const started = await this.startIn(asking, {
      ...{ strategy, text: placed.text, ...(edited_from !== undefined && { edited_from }) },
      body: await this.bodyOf(request, placed, model),
    });
    const { interaction: row } = started;
    const first = started.outcome === 'started' && { first: started.first };
    const isNew = started.outcome !== 'repeated';
    const open = isNew ? NONE : (await this.interrupts.of(caller, ownerOf(row))).open;
    return { row, after: 0, open, ...first };
  }

  /** A thread that waits is not busy for clients: a message is another way to go on. */
  private async startIn(
    { caller, chat_id, headers, background }: Asking,
    {
      strategy,
      text: user_message,
      ...place
    }: Pick<StartRequest, 'edited_from' | 'body'> &
      Pick<PlacedMessage, 'text'> & { readonly strategy: RunRequest['multitask_strategy'] },
  ): Promise<Accepted> {
    const isEdit = place.edited_from !== undefined;
    const on_conflict =
      strategy === 'rollback' || (strategy === 'enqueue' && isEdit) ? 'interrupt' : strategy;
    const request = { caller, chat_id, user_message, background, ...headers, ...place };
    const start = (rule: StartRequest['on_conflict']): Promise<Accepted> =>
      this.starts.start({ ...request, on_conflict: rule });
    try {
      return await start(on_conflict ?? 'reject');
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'chat_busy') throw error;
      const waits = String(error.extra['active_status']).startsWith('WAITING');
      if (strategy === undefined && waits) return start('interrupt');
      throw threadBusy(error);
    }
  }

  private async bodyOf(
    { options, metadata, on_disconnect }: RunRequest,
    { text: user_message, named }: PlacedMessage,
    model: Pick<RunOptions, 'agent' | 'model'>,
  ): Promise<RunOptions> {
    const given = {
      ...{ user_message, on_disconnect, ...options, ...model },
      metadata: { ...metadata, ...named },
    };
    const type = { type: 'body', metatype: StartInteractionDto } as const;
    const dto = (await this.pipe.transform(given, type)) as StartInteractionDto;
    const { user_message: _, on_conflict: __, ...body } = dto;
    return body;
  }

  /**
   * Answers what the thread waits for.
   * @throws AppError `request_not_found` (404), and as `Interrupts.settle`
   */
  async resume(
    caller: Principal,
    chat_id: string,
    { value, isStrict }: NonNullable<RunRequest['resume']>,
  ): Promise<Begun> {
    const id = await this.activeOf({ caller, chat_id });
    if (id === undefined) throw notOpen();
    const row = await this.access.interaction(caller, chat_id, id);
    const owner = ownerOf(row);
    const waiting = await this.interrupts.of(caller, owner);
    const answers = answersIn(value, waiting.interrupts, isStrict);
    await this.interrupts.settle(caller, owner, answers);
    const settled = new Set(
      answers.flatMap(({ interrupt }) => interrupt.requests.map((each) => each.id)),
    );
    const open = new Set([...waiting.open].filter((each) => !settled.has(each)));
    return { row, after: row.last_seq, open };
  }

  private async activeOf({
    caller,
    chat_id,
  }: Pick<Asking, 'caller' | 'chat_id'>): Promise<string | undefined> {
    const { active_interaction_id } = await this.chats.get(caller, chat_id, { ...ACTIVE });
    return active_interaction_id ?? undefined;
  }

  /** A new thread begins with what its client has said elsewhere. */
  private async createWithHistory(
    caller: Principal,
    id: string,
    { message }: RunRequest,
  ): Promise<void> {
    const messages = [...(message?.history ?? [])];
    if (messages.length === 0) return;
    await this.chats.create(caller, { id, messages }).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'chat_exists') throw error;
    });
  }
}

function ownerOf({ id: interaction_id, chat_id }: InteractionRow) {
  return { chat_id, interaction_id };
}
