import { Injectable } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import type { Principal } from '../../../auth/principal.js';
import type { StartHeaders } from '../../../interactions/start/start-request.js';
import { AppError } from '../../../kernel/app-error.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import { EventStreams } from '../../../streams/event-streams.js';
import { ProjectedStreams } from '../../base/projected-streams.js';
import { readModes, readRunBody } from './run-body.js';
import type { RunProjection, StreamMode } from './run-projection.js';
import { Runs } from './runs.js';
import type { Joining } from './runs.js';

/** A request for a run. */
export interface Asked {
  readonly caller: Principal;
  /** Undefined: in a thread of its own. */
  readonly thread_id: string | undefined;
  /** Not checked. */
  readonly body: unknown;
  readonly headers: StartHeaders;
}

interface Waiting {
  readonly caller: Principal;
  readonly row: InteractionRow;
  readonly projection: RunProjection;
}

const INTERNAL = ['internal', 'Reading failed. Read again.'] as const;

/** Starts and joins runs, and answers their requests. */
@Injectable()
export class RunAnswers {
  constructor(
    private readonly runs: Runs,
    private readonly streams: EventStreams,
    private readonly projected: ProjectedStreams,
  ) {}

  async stream(asked: Asked, response: Response): Promise<Observable<MessageEvent>> {
    const { caller } = asked;
    const request = readRunBody(asked.body);
    this.streams.admit(response);
    const { row, projection, first, path } = await this.runs.begin(asked, request, 'streamed');
    response.set('Content-Location', path);
    response.location(streamOf(path, request.modes));
    return this.projected.stream(row, projection, { caller, response, ...(first && { first }) });
  }

  async create(asked: Asked, response: Response): Promise<object> {
    const request = readRunBody(asked.body);
    const { path, view } = await this.runs.begin(asked, request, 'background');
    response.set('Content-Location', path);
    return view;
  }

  /** The state at its end. */
  async wait(asked: Asked, response: Response): Promise<void> {
    const { caller } = asked;
    const request = readRunBody(asked.body);
    this.streams.admit(response);
    const { row, projection, path } = await this.runs.begin(asked, request, 'background');
    response.set('Content-Location', path);
    await this.answer(response, { caller, row, projection });
  }

  async join(
    caller: Principal,
    { mode, ...joining }: Omit<Joining, 'modes'> & { readonly mode: string | string[] | undefined },
    response: Response,
  ): Promise<Observable<MessageEvent>> {
    const modes = readModes(mode);
    const { row, projection, path } = await this.runs.open(caller, { ...joining, modes });
    this.streams.admit(response);
    response.location(streamOf(path, modes));
    return this.projected.stream(row, projection, { caller, response });
  }

  /** Like `wait`, for a run that has begun. */
  async waitFor(caller: Principal, joining: Omit<Joining, 'modes'>, response: Response) {
    const modes = new Set<never>();
    const { row, projection } = await this.runs.open(caller, { ...joining, modes });
    this.streams.admit(response);
    await this.answer(response, { caller, row, projection });
  }

  /** A failure after the first heartbeat is told as one of the run: the status is sent. */
  private async answer(response: Response, { caller, row, projection }: Waiting): Promise<void> {
    response.type('application/json');
    const stop = this.streams.keepAlive(response);
    try {
      await this.projected.collect(row, projection, { caller, response });
      response.end(projection.result);
    } catch (error) {
      if (!response.headersSent) throw error;
      const [code, message] = error instanceof AppError ? [error.code, error.message] : INTERNAL;
      response.end(JSON.stringify({ __error__: { error: code, message } }));
    } finally {
      stop();
    }
  }
}

/** Where clients go on after a break: they put it after their base, and keep its modes. */
function streamOf(path: string, modes: ReadonlySet<StreamMode>): string {
  return `${path}/stream?${[...modes].map((mode) => `stream_mode=${mode}`).join('&')}`;
}
