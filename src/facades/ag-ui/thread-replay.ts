import { Injectable } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import type { Response } from 'express';
import { EMPTY, from } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Principal } from '../../auth/principal.js';
import { isObject } from '../../kernel/json/json.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { EventStreams } from '../../streams/event-streams.js';
import { ProjectedStreams } from '../base/projected-streams.js';
import { RequestDecisions } from '../base/request-decisions.js';
import { sendable } from '../base/sendable.js';
import type { AgUiEvent, AgUiMessage, Json } from './ag-ui-event.js';
import { AgentThreads } from './agent-threads.js';
import { AG_UI_KEY, userMessageId } from './placed.js';
import type { RunRequest } from './read-input.js';
import { RunProjection } from './projection/run-projection.js';
import type { Chat } from '../../protocol/wire/chat.js';
import type { Interaction } from '../../protocol/wire/interaction.js';

/** Characters of the messages of a replay as JSON; the newest ones that fit. */
const MAX_LENGTH = 512 * 1024;

interface Connecting {
  readonly caller: Principal;
  readonly request: RunRequest;
  readonly response: Response;
}

/** A thread for a client that connects to it: its messages, and what goes on. */
@Injectable()
export class ThreadReplay {
  constructor(
    private readonly threads: AgentThreads,
    private readonly requests: RequestDecisions,
    private readonly streams: EventStreams,
    private readonly projected: ProjectedStreams,
  ) {}

  /** Empty for a thread that is not there. @throws AppError as `EventStreams.admit` */
  async connect(connecting: Connecting): Promise<Observable<MessageEvent>> {
    const { caller, request, response } = connecting;
    this.streams.admit(response);
    const chat = await this.threads.find(caller, request.threadId);
    if (!chat) return this.streams.sendFrames(response, () => EMPTY);
    const active = await this.threads.activeOf(caller, chat);
    const messages = messagesOf(chat, active?.id);
    return active ? this.follow(connecting, { active, messages }) : this.show(connecting, messages);
  }

  private show(
    { request, response }: Connecting,
    messages: readonly AgUiMessage[],
  ): Observable<MessageEvent> {
    const { threadId, runId } = request;
    const events: readonly AgUiEvent[] = [
      { type: 'RUN_STARTED', threadId, runId },
      { type: 'MESSAGES_SNAPSHOT', messages },
      { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'success' }, usage: [] },
    ];
    const frames = events.map((event) => ({ data: JSON.stringify(event, sendable) }));
    return this.streams.sendFrames(response, () => from(frames));
  }

  private async follow(
    { caller, request, response }: Connecting,
    { active, messages }: { active: InteractionRow; messages: readonly AgUiMessage[] },
  ): Promise<Observable<MessageEvent>> {
    const { threadId, runId, version, state } = request;
    const owner = { chat_id: active.chat_id, interaction_id: active.id };
    const open = await this.requests.open(caller, owner);
    const projection = new RunProjection({
      ...{ threadId, version, state, after: 0, isRepeated: true },
      ...{ interaction_id: active.id, root: active.agent_id, last: active.last_seq },
      runId: runIdOf(active) ?? runId,
      messages: messages as readonly (AgUiMessage & Json)[],
      client_tools: new Set(),
      isOpen: ({ id, seq }) => seq > active.last_seq || open.has(id),
    });
    return this.projected.stream(active, projection, { caller, response });
  }
}

/** The id that the client gave to the run that began the interaction. */
export function runIdOf({ metadata }: Pick<Interaction, 'metadata'>): string | undefined {
  const named = metadata[AG_UI_KEY];
  const id = isObject(named) ? named['run_id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** The active interaction has only its user message here: its events follow. */
function messagesOf(chat: Chat, active: string | undefined): readonly AgUiMessage[] {
  const found: (readonly AgUiMessage[])[] = [];
  let left = MAX_LENGTH;
  for (const interaction of chat.interactions.toReversed()) {
    const user = { id: userMessageId(interaction), role: 'user' as const };
    const asked = { ...user, content: interaction.user_message };
    const turn = [asked, ...(interaction.id === active ? [] : answerOf(chat, interaction))];
    left -= JSON.stringify(turn).length;
    if (left < 0) break;
    found.unshift(turn);
  }
  return found.flat();
}

/** The messages of an interaction that has ended. */
function answerOf({ id: threadId }: Chat, interaction: Interaction): readonly AgUiMessage[] {
  const { id, agent_id, agent_events } = interaction;
  const projection = new RunProjection({
    ...{ threadId, runId: id, version: '1.0', interaction_id: id, root: agent_id },
    ...{ after: 0, last: 0, isRepeated: false, messages: [], state: {} },
    client_tools: new Set(),
    isOpen: () => false,
  });
  return projection.messagesOf(agent_events);
}
