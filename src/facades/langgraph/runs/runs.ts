import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../../access/chat-access.js';
import type { Principal } from '../../../auth/principal.js';
import { CancellationService } from '../../../cancellation/cancellation.service.js';
import { ChatsService } from '../../../chats/chats.service.js';
import type { StartHeaders } from '../../../interactions/start/start-request.js';
import { AppError } from '../../../kernel/app-error.js';
import { Ids } from '../../../kernel/ids.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type { OpenRequest } from '../../base/open-work.js';
import { runNotFound, unsupported } from '../errors.js';
import { Interrupts } from '../interrupts/interrupts.js';
import type { LcMessage } from '../messages/message.js';
import { Threads } from '../threads/threads.js';
import { parseFrameId } from './frame-id.js';
import type { RunRequest } from './run-body.js';
import { formatRunId, parseRunId } from './run-id.js';
import { RunProjection } from './run-projection.js';
import type { RunOptions, StreamMode } from './run-projection.js';
import { RunStarts } from './run-starts.js';
import type { Begun } from './run-starts.js';
import { statusOf, viewRun } from './run-views.js';

interface Asking {
  readonly caller: Principal;
  /** Undefined: a thread of its own. */
  readonly thread_id: string | undefined;
  readonly headers: StartHeaders;
}

/** A run to read. */
export interface OpenedRun {
  readonly row: InteractionRow;
  readonly projection: RunProjection;
  /** Relative to the base of clients. */
  readonly path: string;
}

interface StartedRun extends OpenedRun {
  readonly first: LogRecord | undefined;
  readonly view: object;
}

/** A run that a client names. */
export interface Joining {
  readonly thread_id: string | undefined;
  readonly run_id: string;
  readonly modes: ReadonlySet<StreamMode>;
  /** `Last-Event-ID`. */
  readonly last?: string | undefined;
}

interface Cancelling {
  readonly thread_id: string;
  readonly run_id: string;
  readonly action: unknown;
  readonly waits: boolean;
}

const MAX_LISTED = 200;

/** Starts, opens, lists and cancels runs. */
@Injectable()
export class Runs {
  constructor(
    private readonly starts: RunStarts,
    private readonly threads: Threads,
    private readonly interrupts: Interrupts,
    private readonly access: ChatAccess,
    private readonly chats: ChatsService,
    private readonly cancellation: CancellationService,
    private readonly ids: Ids,
  ) {}

  /** @throws AppError as `RunStarts.begin` */
  async begin(
    { caller, headers, thread_id }: Asking,
    request: RunRequest,
    how: 'streamed' | 'background',
  ): Promise<StartedRun> {
    const chat_id = thread_id ?? this.ids.make('chat');
    const asking = { caller, headers, chat_id, background: how === 'background' };
    const createsThread = request.createsThread || thread_id === undefined;
    const begun = await this.starts.begin(asking, { ...request, createsThread });
    const { row, after, first } = begun;
    const projection = this.project(caller, begun, { after, modes: request.modes });
    const run_id = formatRunId({ interaction_id: row.id, after });
    return { row, projection, path: pathOf(chat_id, run_id), first, view: viewRun(run_id, row) };
  }

  /** @throws AppError `interaction_not_found` (404), `invalid_body` (400) of the event id */
  async open(caller: Principal, { thread_id, run_id, modes, last }: Joining): Promise<OpenedRun> {
    const position = parseFrameId(last);
    const row = await this.rowOf(caller, thread_id, run_id);
    const after = Math.min(parseRunId(run_id)!.after, row.last_seq);
    const owner = { chat_id: row.chat_id, interaction_id: row.id };
    const { open } = await this.interrupts.of(caller, owner);
    const projection = this.project(caller, { row, open }, { after, modes, position });
    return { row, projection, path: pathOf(row.chat_id, run_id) };
  }

  /** Each interaction as one run, the newest first. */
  async list(
    caller: Principal,
    thread_id: string,
    { limit, offset, status }: Readonly<Record<string, unknown>>,
  ): Promise<object[]> {
    const [most, from] = [numberIn(limit, 10), numberIn(offset, 0)];
    const page = { limit: MAX_LISTED, include: 'superseded' } as const;
    const { interactions } = await this.chats.get(caller, thread_id, page);
    return interactions
      .toReversed()
      .filter((each) => status === undefined || statusOf(each.status) === status)
      .slice(from, from + most)
      .map((each) => viewRun(each.id, each));
  }

  /** @throws AppError `interaction_not_found` (404) */
  async show(caller: Principal, thread_id: string, run_id: string): Promise<object> {
    return viewRun(run_id, await this.rowOf(caller, thread_id, run_id));
  }

  /** @throws AppError `interaction_not_found` (404), `unsupported_parameter` (400) */
  async cancel(caller: Principal, { thread_id, run_id, action, waits }: Cancelling): Promise<void> {
    if (action === 'rollback') throw unsupported('action', 'can only be interrupt');
    const { id } = await this.rowOf(caller, thread_id, run_id);
    try {
      const row = await this.cancellation.requestByUser(caller, thread_id, id);
      if (waits) await this.cancellation.outcome(caller, row);
    } catch (error) {
      // Clients cancel without knowing that it has ended.
      if (!(error instanceof AppError) || error.code !== 'already_ended') throw error;
    }
  }

  private project(
    caller: Principal,
    { row, open }: Pick<Begun, 'row' | 'open'>,
    options: Pick<RunOptions, 'after' | 'modes' | 'position'>,
  ): RunProjection {
    const isOpen = ({ id, seq }: OpenRequest): boolean => seq > row.last_seq || open.has(id);
    const readEarlier = (last: string | null): Promise<LcMessage[]> =>
      this.threads.messagesTo(caller, row.chat_id, last);
    return new RunProjection({ row, isOpen, readEarlier, ...options });
  }

  private async rowOf(
    caller: Principal,
    thread_id: string | undefined,
    run_id: string,
  ): Promise<InteractionRow> {
    const id = parseRunId(run_id)?.interaction_id;
    if (id === undefined) throw runNotFound(run_id);
    const found =
      thread_id === undefined
        ? this.access.interactionById(caller, id)
        : this.access.interaction(caller, thread_id, id);
    return found.catch((error: unknown) => {
      throw error instanceof AppError && error.kind === 'not_found' ? runNotFound(run_id) : error;
    });
  }
}

function pathOf(thread_id: string, run_id: string): string {
  return `/threads/${thread_id}/runs/${run_id}`;
}

function numberIn(given: unknown, otherwise: number): number {
  const number = typeof given === 'string' ? Number(given) : NaN;
  return Number.isInteger(number) && number >= 0 ? number : otherwise;
}
