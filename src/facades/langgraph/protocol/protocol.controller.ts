import { Body, Controller, HttpCode, Param, Post, RequestMethod, Res, Sse } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { catchError, concatMap, from, mergeMap, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { ChatAccess } from '../../../access/chat-access.js';
import { Access, AlsoNeeds } from '../../../auth/access.decorator.js';
import { Caller } from '../../../auth/caller.decorator.js';
import type { Principal } from '../../../auth/principal.js';
import { LiveStreams } from '../../../feed/live-streams.js';
import type { StreamEvent } from '../../../event-log/follow/stream-event.js';
import { HeadersOfStart } from '../../../interactions/interactions.decorators.js';
import type { StartHeaders } from '../../../interactions/start/start-request.js';
import { AppError } from '../../../kernel/app-error.js';
import { START } from '../../../protocol/cursor.js';
import { EventStreams, MAX_PENDING_LENGTH } from '../../../streams/event-streams.js';
import { HeldBacklog } from '../../base/held-backlog.js';
import { formatRunId } from '../runs/run-id.js';
import { RunStarts } from '../runs/run-starts.js';
import { humanMessage } from '../threads/message-ids.js';
import { Threads } from '../threads/threads.js';
import { readFilter } from './event-filter.js';
import { decidesCommand, readCommand, readResponses, readStart } from './read-command.js';
import type { Command } from './read-command.js';
import type { RunContext } from './run-events.js';
import { ThreadEvents } from './thread-events.js';

const POSTED = { method: RequestMethod.POST, maxPendingDataLength: MAX_PENDING_LENGTH };

/** LangGraph's streaming protocol: one stream of a whole thread, and commands. */
@ApiExcludeController()
@Access('chat')
@Controller('langgraph/threads/:thread_id')
export class ProtocolController {
  constructor(
    private readonly access: ChatAccess,
    private readonly threads: Threads,
    private readonly starts: RunStarts,
    private readonly live: LiveStreams,
    private readonly streams: EventStreams,
  ) {}

  /** From the start of the last interaction, then live: clients drop what they know. */
  @Sse('stream/events', POSTED)
  @HttpCode(200)
  async follow(
    @Caller() caller: Principal,
    @Param('thread_id') thread_id: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const filter = readFilter(body);
    const chat = await this.access.chat(caller, thread_id);
    const last = await this.live.position(caller, chat, undefined);
    this.streams.admit(response);
    this.streams.join(response, chat.uid, `The thread ${thread_id}`);
    return this.streams.sendFrames(response, (given) => {
      const backlog = new HeldBacklog(given);
      const events = new ThreadEvents(filter, (id) =>
        backlog.during(this.contextOf(caller, thread_id, id)),
      );
      return this.live
        .ofChat(caller, chat, { from: last && { ...last, cursor: START }, trace: false, backlog })
        .pipe(
          concatMap(({ event, cursor }) => {
            const isOfRun = 'interaction_id' in event && 'agent_id' in event;
            const within = cursor.slice(cursor.indexOf('/') + 1);
            return isOfRun ? events.take(event as StreamEvent, within) : of([]);
          }),
          mergeMap((frames) => from(frames)),
          catchError(() => of()), // the client comes back
        );
    });
  }

  @Post('commands')
  @HttpCode(200)
  @AlsoNeeds('decide', ({ body }) => decidesCommand(body))
  async command(
    @Caller() caller: Principal,
    @Param('thread_id') chat_id: string,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
  ): Promise<object> {
    const command = readCommand(body);
    const { id } = command;
    if (!isStart(command)) await this.access.chat(caller, chat_id);
    try {
      const run_id = await this.execute(command, { caller, chat_id, headers, background: true });
      return { type: 'success', id, result: { run_id } };
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === 'internal') throw error;
      return { type: 'error', id, error: error.code, message: error.message };
    }
  }

  private async execute(
    { method, params }: Command,
    asking: Parameters<RunStarts['begin']>[0],
  ): Promise<string> {
    if (method === 'run.start') {
      const { row } = await this.starts.begin(asking, readStart(params));
      return row.id;
    }
    if (method === 'input.respond') {
      const { caller, chat_id } = asking;
      const { row, after } = await this.starts.resume(caller, chat_id, readResponses(params));
      return formatRunId({ interaction_id: row.id, after });
    }
    const message = `The command ${method.slice(0, 100)} is not supported: run.start and input.respond are.`;
    throw new AppError('invalid', 'unsupported_parameter', message);
  }

  private async contextOf(
    caller: Principal,
    chat_id: string,
    interaction_id: string,
  ): Promise<RunContext | undefined> {
    const row = await this.access.interaction(caller, chat_id, interaction_id);
    const earlier = await this.threads.messagesTo(caller, chat_id, row.parent_id);
    const { parent_id, metadata } = row;
    return { human: humanMessage(row), metadata, parent_id, earlier };
  }
}

/** It makes its thread, if there is none. */
function isStart({ method }: Command): boolean {
  return method === 'run.start';
}
