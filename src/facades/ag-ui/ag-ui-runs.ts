import { Injectable } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import type { Response } from 'express';
import { from } from 'rxjs';
import type { Observable } from 'rxjs';
import { ChatAccess } from '../../access/chat-access.js';
import type { Principal } from '../../auth/principal.js';
import { InputPipe } from '../../http/input/input.pipe.js';
import { StartInteractionDto } from '../../interactions/dto/start-interaction.dto.js';
import { StartService } from '../../interactions/start/start.service.js';
import type { RunOptions, StartHeaders } from '../../interactions/start/start-request.js';
import { AppError } from '../../kernel/app-error.js';
import { isObject } from '../../kernel/json/json.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { EventStreams } from '../../streams/event-streams.js';
import { Branches, namedMessage } from '../base/branches.js';
import { ProjectedStreams } from '../base/projected-streams.js';
import type { Reading } from '../base/projected-streams.js';
import { RequestDecisions } from '../base/request-decisions.js';
import type { Json } from './ag-ui-event.js';
import { AgentThreads } from './agent-threads.js';
import { interactionOf, toPlaced, userMessageId } from './placed.js';
import { invalid, readUserMessage } from './read-input.js';
import type { RunRequest } from './read-input.js';
import { Resumption } from './resumption.js';
import { RunProjection } from './projection/run-projection.js';
import type { RunOptions as ProjectionOptions } from './projection/run-projection.js';

/** Answered within the protocol: they are about interrupts, not about the request as such. */
const RUN_ERRORS = ['already_ended', 'already_processed', 'thread_interrupted', 'request_expired'];
const NONE: ReadonlySet<string> = new Set();

/** A request to run an agent, checked. */
export interface Asking {
  readonly caller: Principal;
  /** The agent, and its model if the client names one; undefined: those of the chat. */
  readonly agent: Pick<RunOptions, 'agent' | 'model'>;
  readonly request: RunRequest;
  readonly headers: StartHeaders;
  readonly response: Response;
}

/** How a run begins. */
type Beginning = Pick<ProjectionOptions, 'after' | 'isRepeated' | 'messages'> & {
  readonly open: ReadonlySet<string>;
  readonly first?: Reading['first'];
};

/** Runs of AG-UI as starts, answers, and streams of what goes on already. */
@Injectable()
export class AgUiRuns {
  private readonly pipe = new InputPipe();

  constructor(
    private readonly starts: StartService,
    private readonly threads: AgentThreads,
    private readonly branches: Branches,
    private readonly resumption: Resumption,
    private readonly requests: RequestDecisions,
    private readonly access: ChatAccess,
    private readonly streams: EventStreams,
    private readonly projected: ProjectedStreams,
  ) {}

  /** @throws AppError of the use cases; those about interrupts end the run instead */
  async run(asking: Asking): Promise<Observable<MessageEvent>> {
    this.streams.admit(asking.response);
    try {
      return await this.begin(asking);
    } catch (error) {
      if (!(error instanceof AppError) || !RUN_ERRORS.includes(error.code)) throw error;
      const { message, code } = error;
      return this.send(asking, { type: 'RUN_ERROR', message, code });
    }
  }

  private async begin(asking: Asking): Promise<Observable<MessageEvent>> {
    const { caller, request } = asking;
    const active = await this.threads.findActive(caller, request.threadId);
    if (request.resume.length + request.results.length > 0) return this.continue(asking, active);
    if (request.messages.at(-1)?.role !== 'user') return this.repeat(asking);
    return this.start(asking, active);
  }

  /** No message is new: the client wants the rest of an answer. */
  private async repeat(asking: Asking): Promise<Observable<MessageEvent>> {
    const { caller, request } = asking;
    const [id] = request.messages.toReversed().flatMap((each) => interactionOf(each.id) ?? []);
    if (id === undefined) throw invalid('messages', 'ends with no message of the user');
    return this.join(asking, await this.access.interaction(caller, request.threadId, id));
  }

  private async start(
    asking: Asking,
    active: InteractionRow | undefined,
  ): Promise<Observable<MessageEvent>> {
    const { caller, request, headers } = asking;
    const { threadId: chat_id, messages } = request;
    const said = readUserMessage(messages.at(-1)!);
    const { user_message } = said;
    const placed = toPlaced(request);
    const named = namedMessage(placed, { run_id: request.runId });
    const { on_conflict, ...body } = await this.optionsOf(asking, said, named);
    if (active && isSame(active, placed.message.id, user_message)) return this.join(asking, active);
    if (active && on_conflict === undefined) await this.requireNoInterrupt(caller, active);
    const place = await this.branches.place(caller, placed);
    const conflict = on_conflict ?? 'interrupt';
    const { interaction: row, ...started } = await this.starts.start({
      ...{ caller, chat_id, user_message, body, background: false, ...headers, ...place },
      on_conflict: place && conflict === 'enqueue' ? 'interrupt' : conflict,
    });
    if (started.outcome === 'repeated') return this.join(asking, row);
    const first = started.outcome === 'started' && { first: started.first };
    const beginning = { after: 0, isRepeated: false, messages, open: NONE, ...first };
    return this.stream(asking, row, beginning);
  }

  /** A message interrupts what runs: a client that was stopped tells the server nothing. */
  private async optionsOf(
    { agent, request }: Asking,
    { user_message, file_ids }: ReturnType<typeof readUserMessage>,
    named: Json,
  ) {
    const { metadata = {}, ...options } = request.options;
    const given = {
      ...{ ...options, ...agent, user_message },
      ...(file_ids.length > 0 && { file_ids }),
      metadata: isObject(metadata) ? { ...metadata, ...named } : metadata,
    };
    const type = { type: 'body', metatype: StartInteractionDto } as const;
    const { user_message: _, ...checked } = (await this.pipe.transform(
      given,
      type,
    )) as StartInteractionDto;
    return checked;
  }

  private async requireNoInterrupt(caller: Principal, row: InteractionRow): Promise<void> {
    const found = await this.requests.list(caller, ownerOf(row), 'pending');
    const ids = found.flatMap(({ kind, id }) => (kind === 'tool' ? [] : id));
    if (ids.length === 0) return;
    const how = 'Answer them with `resume`, or send `forwardedProps.parley.on_conflict`.';
    const message = `The thread has open interrupts: ${ids.join(', ')}. ${how}`;
    throw new AppError('conflict', 'thread_interrupted', message);
  }

  /** Takes what the client has decided, and goes on with the same interaction. */
  private async continue(
    asking: Asking,
    active: InteractionRow | undefined,
  ): Promise<Observable<MessageEvent>> {
    const { caller, request } = asking;
    await this.access.chat(caller, request.threadId);
    if (!active) throw threadEnded();
    const { messages } = request;
    const last = messages.at(-1);
    const isNew =
      last?.role === 'user' && !isSame(active, last.id, readUserMessage(last).user_message);
    if (isNew)
      throw invalid('messages', 'ends with a message, which `resume` can’t have beside it');
    await this.resumption.take(caller, ownerOf(active), request);
    const open = await this.requests.open(caller, ownerOf(active));
    const after = Math.max(active.last_seq, 1);
    return this.stream(asking, active, { after, isRepeated: true, messages, open });
  }

  /** From the start of the answer, for a client that may have a part of it. */
  private async join(asking: Asking, row: InteractionRow): Promise<Observable<MessageEvent>> {
    const open = await this.requests.open(asking.caller, ownerOf(row));
    const { messages } = asking.request;
    return this.stream(asking, row, { after: 0, isRepeated: true, messages, open });
  }

  private stream(
    { caller, request, response }: Asking,
    row: InteractionRow,
    { open, first, ...beginning }: Beginning,
  ): Observable<MessageEvent> {
    const { threadId, runId, parentRunId, version, state } = request;
    const projection = new RunProjection({
      ...{ threadId, runId, parentRunId, version, state, ...beginning },
      ...{ interaction_id: row.id, root: row.agent_id, last: row.last_seq },
      client_tools: new Set(row.settings.client_tools.map(({ name }) => name)),
      isOpen: ({ id, seq }) => seq > row.last_seq || open.has(id),
    });
    return this.projected.stream(row, projection, { caller, response, ...(first && { first }) });
  }

  /** A run that has nothing but an error. */
  private send(
    { request, response }: Asking,
    error: { readonly type: 'RUN_ERROR'; readonly message: string; readonly code: string },
  ): Observable<MessageEvent> {
    const { threadId, runId } = request;
    const frames = [{ type: 'RUN_STARTED', threadId, runId }, error];
    return this.streams.sendFrames(response, () =>
      from(frames.map((frame) => ({ data: JSON.stringify(frame) }))),
    );
  }
}

function ownerOf({ id: interaction_id, chat_id }: InteractionRow) {
  return { chat_id, interaction_id };
}

/** True if the message is that of the interaction. */
function isSame(row: InteractionRow, id: string | undefined, text: string): boolean {
  return id !== undefined && userMessageId(row) === id && row.user_message === text;
}

function threadEnded(): AppError {
  const message = 'Nothing of the thread waits for an answer. Send a message.';
  return new AppError('conflict', 'already_ended', message);
}
