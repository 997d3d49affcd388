import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { ChatAccess } from '../../../access/chat-access.js';
import { InboxService } from '../../../approvals/inbox.service.js';
import type { Principal } from '../../../auth/principal.js';
import { CancellationService } from '../../../cancellation/cancellation.service.js';
import type { RunOptions } from '../../../interactions/start/start-request.js';
import { AppError } from '../../../kernel/app-error.js';
import { cutText } from '../../../kernel/text/cut-text.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import { isFinal, isWaiting } from '../../../protocol/interaction.js';
import { EventStreams } from '../../../streams/event-streams.js';
import { ProjectedStreams } from '../../base/projected-streams.js';
import { TaskProjection } from './task-projection.js';
import { replayOf } from './task-stream.js';
import type { Task } from '../wire.js';
import type { RequestView } from '../../../protocol/wire/request.js';

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const PAGE = 200;

/** Interactions of an agent as tasks. */
@Injectable()
export class Tasks {
  constructor(
    private readonly access: ChatAccess,
    private readonly inbox: InboxService,
    private readonly projected: ProjectedStreams,
    private readonly cancellation: CancellationService,
    private readonly streams: EventStreams,
  ) {}

  /** @throws AppError `task_not_found` (404), also if it is another agent's */
  async find(
    caller: Principal,
    { agent }: Pick<RunOptions, 'agent'>,
    id: string,
  ): Promise<InteractionRow> {
    if (!ID.test(id)) throw taskNotFound(id);
    const row = await this.access.interactionById(caller, id).catch((error: unknown) => {
      throw error instanceof AppError && error.kind === 'not_found' ? taskNotFound(id) : error;
    });
    if (row.agent !== agent) throw taskNotFound(id);
    return row;
  }

  async openRequests(
    caller: Principal,
    { id: interaction_id, status }: InteractionRow,
  ): Promise<readonly RequestView[]> {
    if (!isWaiting(status)) return [];
    const found: RequestView[] = [];
    let cursor: string | null = null;
    do {
      const query = { interaction_id, status: 'pending', limit: PAGE } as const;
      const page = await this.inbox.list(caller, { ...query, ...(cursor && { cursor }) });
      found.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return found;
  }

  /** The projection of an interaction at the beginning of its log. */
  async project(caller: Principal, row: InteractionRow): Promise<TaskProjection> {
    const open = new Set((await this.openRequests(caller, row)).map(({ id }) => id));
    return new TaskProjection(row, ({ id, seq }) => seq > row.last_seq || open.has(id));
  }

  /** The task in its current state. */
  async show(caller: Principal, row: InteractionRow, historyLength?: number): Promise<Task> {
    const projection = await this.project(caller, row);
    await this.projected.catchUp(row, replayOf(projection), caller);
    return projection.task(historyLength);
  }

  /**
   * Waits for the end, at most 30 s.
   * @throws AppError `task_not_cancelable` (400) if it has ended otherwise
   */
  async cancel(caller: Principal, row: InteractionRow, response: Response): Promise<Task> {
    if (!isFinal(row.status)) {
      this.streams.admit(response);
      await this.cancellation.requestByUser(caller, row.chat_id, row.id).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'already_ended') throw error;
      });
      await this.cancellation.outcome(caller, row);
    }
    const ended = await this.find(caller, row, row.id);
    const { status } = ended;
    if (isFinal(status) && status !== 'CANCELLED') throw notCancelable(ended);
    return this.show(caller, ended);
  }
}

function taskNotFound(id: string): AppError {
  const message = `The agent has no task ${cutText(id, 64)}, or you don’t see it.`;
  return new AppError('not_found', 'task_not_found', message);
}

/** Error of a request that a task does not accept after its end. */
export function taskEnded({ id, status }: InteractionRow): AppError {
  const message = `The task ${id} has ended (${status}). Read it, or send a message without taskId to its context.`;
  return new AppError('invalid', 'unsupported_operation', message);
}

function notCancelable({ id, status }: InteractionRow): AppError {
  const message = `The task ${id} has ended already: ${status}.`;
  return new AppError('invalid', 'task_not_cancelable', message);
}
