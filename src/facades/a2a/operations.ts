import { Injectable } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { z } from 'zod';
import type { Principal } from '../../auth/principal.js';
import type { StartHeaders } from '../../interactions/start/start-request.js';
import { AppError } from '../../kernel/app-error.js';
import { isFinal } from '../../protocol/interaction.js';
import { EventStreams } from '../../streams/event-streams.js';
import { ProjectedStreams } from '../base/projected-streams.js';
import { parseWith, readSentMessage, refuseTenant } from './message-body.js';
import type { SentMessage } from './message-body.js';
import { Sends } from './sends.js';
import type { Begun, TaskAgent } from './sends.js';
import { historyLength } from './tasks/task-list.js';
import { TaskStream, replayOf } from './tasks/task-stream.js';
import type { Framing } from './tasks/task-stream.js';
import { Tasks, taskEnded } from './tasks/tasks.js';
import type { Task } from './wire.js';

const ONE = z.looseObject({ tenant: z.unknown().optional(), id: z.string(), historyLength });

/** A request, by whatever transport. */
export interface Asking {
  readonly caller: Principal;
  readonly agent: TaskAgent;
  readonly response: Response;
}

/** For tasks that are read, not streamed. */
const UNREAD = { data: '' };
const NO_FRAMES: Framing = { frame: () => UNREAD, error: () => UNREAD };

/** The operations of the protocol but for lists, which both transports have. */
@Injectable()
export class Operations {
  constructor(
    private readonly sends: Sends,
    private readonly tasks: Tasks,
    private readonly streams: EventStreams,
    private readonly projected: ProjectedStreams,
  ) {}

  /** Unless it is to return at once, when the task has ended or waits. */
  async send(
    asking: Asking,
    params: unknown,
    headers: StartHeaders,
  ): Promise<{ readonly task: Task }> {
    const { caller, response } = asking;
    const message = readSentMessage(params);
    if (!message.returnImmediately) this.streams.admit(response);
    const begun = await this.sends.begin(caller, asking.agent, message, headers);
    const { row, first } = begun;
    const stream = await this.streamOf(asking, begun, message, NO_FRAMES);
    const reading = { caller, response, ...(first && { first }) };
    if (message.returnImmediately)
      await this.projected.catchUp(row, replayOf(stream.projection), caller);
    else if (!stream.isDone) await this.projected.collect(row, stream, reading);
    return { task: stream.projection.task(message.historyLength) };
  }

  async stream(
    asking: Asking,
    params: unknown,
    headers: StartHeaders,
    framing: Framing,
  ): Promise<Observable<MessageEvent>> {
    const { caller, agent, response } = asking;
    const message = readSentMessage(params);
    this.streams.admit(response);
    const begun = await this.sends.begin(caller, agent, message, headers);
    const { row, first } = begun;
    const stream = await this.streamOf(asking, begun, message, framing);
    return this.projected.stream(row, stream, { caller, response, ...(first && { first }) });
  }

  async get({ caller, agent }: Asking, params: unknown): Promise<Task> {
    const { id, tenant, historyLength: length } = parseWith(ONE, params);
    refuseTenant(tenant);
    return this.tasks.show(caller, await this.tasks.find(caller, agent, id), length);
  }

  async cancel({ caller, agent, response }: Asking, params: unknown): Promise<Task> {
    const { id, tenant } = parseWith(ONE, params);
    refuseTenant(tenant);
    return this.tasks.cancel(caller, await this.tasks.find(caller, agent, id), response);
  }

  /** The task as it is, then its updates. */
  async subscribe(
    asking: Asking,
    params: unknown,
    framing: Framing,
  ): Promise<Observable<MessageEvent>> {
    const { caller, agent, response } = asking;
    const { id, tenant } = parseWith(ONE, params);
    refuseTenant(tenant);
    const row = await this.tasks.find(caller, agent, id);
    if (isFinal(row.status)) throw taskEnded(row);
    this.streams.admit(response);
    const begun = { row, after: row.last_seq };
    const stream = await this.streamOf(asking, begun, {}, framing);
    return this.projected.stream(row, stream, { caller, response });
  }

  private async streamOf(
    { caller }: Asking,
    { row, after }: Begun,
    message: Partial<Pick<SentMessage, 'historyLength'>>,
    framing: Framing,
  ): Promise<TaskStream> {
    const projection = await this.tasks.project(caller, row);
    return new TaskStream(projection, framing, { after, historyLength: message.historyLength });
  }
}

/** @throws AppError `extended_agent_card_not_configured` (400) */
export function refuseExtendedCard(): never {
  const message = 'Agents have no extended card: /.well-known/agent-card.json is all.';
  throw new AppError('invalid', 'extended_agent_card_not_configured', message);
}
