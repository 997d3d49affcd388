import type { StreamEvent } from '../../../event-log/follow/stream-event.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type { RecordEvent } from '../../../protocol/events.js';
import { NO_USAGE, addUsage, isFinal } from '../../../protocol/interaction.js';
import type { FinalStatus, Usage } from '../../../protocol/interaction.js';
import { isObject } from '../../../kernel/json/json.js';
import { OpenWork } from '../../base/open-work.js';
import type { OpenRequest } from '../../base/open-work.js';
import { partsOfRequest } from '../asking.js';
import { Texts } from '../texts.js';
import type { A2aMessage, ArtifactChange, Part, StreamResponse, Task } from '../wire.js';
import type { TaskState, TaskStatus } from '../wire.js';

/** The key of `metadata` under which an interaction has the id that the client gave its message. */
export const A2A_KEY = 'a2a';

export const FINAL_STATES: Readonly<Record<FinalStatus, TaskState>> = {
  COMPLETED: 'TASK_STATE_COMPLETED',
  FAILED: 'TASK_STATE_FAILED',
  CANCELLED: 'TASK_STATE_CANCELED',
};

type EventOf<T extends RecordEvent['type']> = Extract<RecordEvent, { readonly type: T }>;

/**
 * An interaction as a task: a fold over its events, from the first. Live or replayed, the updates
 * make the task that `task` gives.
 */
export class TaskProjection {
  private readonly work = new OpenWork();
  private readonly texts = new Texts();
  private readonly history: A2aMessage[] = [];
  private readonly requests = new Map<string, readonly Part[]>();
  /** The requests that the task waits for. */
  private waitsFor = '';
  private status: TaskStatus;
  private usage: Usage | undefined;
  private ending: string | undefined;

  /** @param isOpen false for requests that are settled, although no record says so yet */
  constructor(
    private readonly row: InteractionRow,
    private readonly isOpen: (request: OpenRequest) => boolean,
  ) {
    this.status = initialStatus(row);
    this.history.push(this.message(messageIdOf(row), 'ROLE_USER', [{ text: row.user_message }]));
  }

  /** True if it has ended. */
  get isFinal(): boolean {
    return Object.values(FINAL_STATES).includes(this.status.state);
  }

  /** True if it has ended, or goes on only once a request is settled. */
  get isOver(): boolean {
    return this.isFinal || this.status.state === 'TASK_STATE_INPUT_REQUIRED';
  }

  /** @param length messages of the history at most, the last ones; undefined: all */
  task(length = Infinity): Task {
    const { id, chat_id: contextId, agent, model } = this.row;
    const artifacts = this.texts.artifacts();
    const history = length === 0 ? [] : this.history.slice(-length);
    return {
      ...{ id, contextId, status: this.status },
      ...(artifacts.length > 0 && { artifacts }),
      ...(history.length > 0 && { history }),
      metadata: { agent, model, ...(this.isFinal && { usage: this.usage ?? NO_USAGE }) },
    };
  }

  /** The updates that the event makes. */
  take(event: StreamEvent): readonly StreamResponse[] {
    this.work.take(event);
    const changes = this.changesOf(event).map((change) => this.update(change));
    if (!('seq' in event)) return changes;
    if (event.type === 'INTERACTION_COMPLETE') return [...changes, this.complete(event)];
    return [...changes, ...this.wait(event)];
  }

  private changesOf(event: StreamEvent): readonly ArtifactChange[] {
    switch (event.type) {
      case 'TEXT_DELTA':
        return this.isRoot(event) ? [this.texts.add(event)] : [];
      case 'MESSAGE':
      case 'ANSWER':
        return this.isRoot(event) ? this.texts.close(event) : [];
      case 'NOTICE':
        return this.texts.voidBlocks(event.void ?? []);
      case 'RESUMED':
      case 'INTERACTION_COMPLETE':
        return this.texts.voidAll();
      case 'APPROVAL_REQUIRED':
        return this.ask(event.approval_id, event);
      case 'INPUT_REQUIRED':
      case 'TOOL_RESULT_REQUIRED':
        return this.ask(event.request_id, event);
      case 'APPROVED':
      case 'REJECTED': {
        const { approval_id, reason } = event;
        const verdict = { approval_id, approved: event.type === 'APPROVED' };
        return this.say(`${approval_id}-verdict`, {
          data: { ...verdict, ...(reason !== undefined && { reason }) },
        });
      }
      case 'INPUT_RECEIVED': {
        const { request_id, answer } = event;
        return this.say(`${request_id}-answer`, { data: { request_id, answer } });
      }
      case 'AGENT_INTERVENED':
        if (!this.isRoot(event)) return [];
        return this.say(event.intervention_id, { text: event.user_content ?? event.user_comment });
      case 'TURN_COMPLETED':
        this.usage = addUsage(this.usage ?? NO_USAGE, event.usage);
        return [];
      case 'ERROR':
        this.ending = event.message;
        return [];
      case 'CANCELLED':
        this.ending = event.reason;
        return [];
      // Not a part of tasks: docs/protocols.md says where it is.
      case 'INTERACTION_STARTED':
      case 'THINKING':
      case 'THINKING_DELTA':
      case 'TOOL_CALL':
      case 'TOOL_STARTED':
      case 'TOOL_RESULT':
      case 'TOOL_INPUT_DELTA':
      case 'TOOL_OUTPUT_DELTA':
      case 'AGENT_STARTED':
      case 'AGENT_COMPLETED':
      case 'AGENT_TOLD':
      case 'NOTE_READ':
      case 'STEP_COMPLETED':
      case 'CUSTOM':
      case 'METADATA_SET':
      case 'TASK_UPDATED':
      case 'TRACE':
        return [];
    }
  }

  private ask(
    id: string,
    event: EventOf<'APPROVAL_REQUIRED' | 'INPUT_REQUIRED' | 'TOOL_RESULT_REQUIRED'>,
  ): readonly [] {
    const parts = partsOfRequest(event);
    this.requests.set(id, parts);
    this.history.push(this.message(id, 'ROLE_AGENT', parts));
    return [];
  }

  private say(id: string, part: Part): readonly [] {
    this.history.push(this.message(id, 'ROLE_USER', [part]));
    return [];
  }

  /** The change of status, if the task begins, waits or goes on. */
  private wait({ at }: RecordEvent): readonly StreamResponse[] {
    const ids = this.work.blockedBy(this.isOpen).map(({ id }) => id);
    const waitsFor = ids.join('.');
    const hasBegun = this.status.state !== 'TASK_STATE_SUBMITTED';
    if (waitsFor === this.waitsFor && hasBegun) return [];
    this.waitsFor = waitsFor;
    if (ids.length === 0) return [this.setStatus('TASK_STATE_WORKING', at)];
    const parts = ids.flatMap((id) => this.requests.get(id) ?? []);
    const message = this.message(waitsFor, 'ROLE_AGENT', parts);
    return [this.setStatus('TASK_STATE_INPUT_REQUIRED', at, { message })];
  }

  private complete({ seq, at, status }: EventOf<'INTERACTION_COMPLETE'>): StreamResponse {
    const parts = status === 'COMPLETED' || !this.ending ? [] : [{ text: this.ending }];
    const id = `${this.row.id}-${seq}`;
    const message = parts.length > 0 && { message: this.message(id, 'ROLE_AGENT', parts) };
    return this.setStatus(FINAL_STATES[status], at, {
      ...message,
      metadata: { usage: this.usage ?? NO_USAGE },
    });
  }

  private setStatus(
    state: TaskState,
    timestamp: string,
    {
      message,
      metadata,
    }: { message?: A2aMessage; metadata?: Readonly<Record<string, unknown>> } = {},
  ): StreamResponse {
    this.status = { state, ...(message && { message }), timestamp };
    return { statusUpdate: { ...this.ids(), status: this.status, ...(metadata && { metadata }) } };
  }

  private update(change: ArtifactChange): StreamResponse {
    return { artifactUpdate: { ...this.ids(), ...change } };
  }

  private message(messageId: string, role: A2aMessage['role'], parts: readonly Part[]): A2aMessage {
    return { messageId, ...this.ids(), role, parts };
  }

  private ids() {
    return { taskId: this.row.id, contextId: this.row.chat_id };
  }

  private isRoot({ agent_id }: StreamEvent): boolean {
    return agent_id === this.row.agent_id;
  }
}

/** Before any event; one that ended in the queue has no other. */
function initialStatus({ status, created_at, completed_at, last_seq }: InteractionRow): TaskStatus {
  if (isFinal(status) && last_seq === 0)
    return { state: FINAL_STATES[status], timestamp: completed_at ?? created_at };
  const state = status === 'QUEUED' ? 'TASK_STATE_SUBMITTED' : 'TASK_STATE_WORKING';
  return { state, timestamp: created_at };
}

/** The client's, if it was one of this protocol. */
function messageIdOf({ id, metadata }: InteractionRow): string {
  const named = metadata[A2A_KEY];
  const own = isObject(named) ? named['message_id'] : undefined;
  return typeof own === 'string' ? own : `${id}-message`;
}
