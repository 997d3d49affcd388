import type { FollowedEvent } from '../../../event-log/follow/follower.js';
import type { StreamEvent } from '../../../event-log/follow/stream-event.js';
import type { AppError } from '../../../kernel/app-error.js';
import type { RecordEvent } from '../../../protocol/events.js';
import type { StreamFrame } from '../../../streams/event-streams.js';
import { OpenWork } from '../../base/open-work.js';
import type { OpenRequest } from '../../base/open-work.js';
import type { StreamedProjection } from '../../base/projected-streams.js';
import type {
  AgUiEvent,
  AgUiMessage,
  AgUiVersion,
  EventOf,
  Json,
  RunIds,
  RunOutcome,
} from '../ag-ui-event.js';
import { Interrupts } from '../interrupts.js';
import type { Author } from './open-texts.js';
import { RunOutput } from './run-output.js';
import { RunUsage } from './run-usage.js';
import { SharedState } from './shared-state.js';
import { Subagents } from './subagents.js';
import { Turns } from '../turns.js';

export interface RunOptions extends RunIds {
  readonly version: AgUiVersion;
  readonly parentRunId?: string | undefined;
  readonly interaction_id: string;
  /** The id of its root agent. */
  readonly root: string;
  /** The client has been told of the records up to this one; 0: of none. */
  readonly after: number;
  /** The last record that there was when the run began. */
  readonly last: number;
  /** True if the client may have messages of the interaction although it has been told nothing. */
  readonly isRepeated: boolean;
  /** The messages of the client. */
  readonly messages: readonly Json[];
  readonly state: unknown;
  /** Names of the tools that the client runs. */
  readonly client_tools: ReadonlySet<string>;
  /** False for requests that are settled, although no record says so yet. */
  readonly isOpen: (request: OpenRequest) => boolean;
}

/**
 * An interaction, or its part after the client has answered, as a run of AG-UI: a fold over its
 * events, from the first. The run ends with the interaction, or when nothing goes on before a
 * request is settled.
 */
export class RunProjection implements StreamedProjection {
  /** True once the run has ended: no event changes anything then. */
  isDone = false;
  private readonly work = new OpenWork();
  private readonly subagents = new Subagents();
  private readonly interrupts = new Interrupts();
  private readonly usage = new RunUsage();
  private readonly state: SharedState;
  private readonly output: RunOutput;
  private readonly turns: Turns;
  private cancelReason = 'Cancelled.';
  private failure = { code: 'internal', message: 'The interaction failed.' };

  constructor(private readonly options: RunOptions) {
    const { after, interaction_id, state } = options;
    this.state = new SharedState(state);
    this.output = new RunOutput({ ...options, isReplaying: after > 0 });
    this.turns = new Turns(this.output, interaction_id);
  }

  begin(): readonly StreamFrame[] {
    const { threadId, runId, parentRunId, version, interaction_id, isRepeated } = this.options;
    const { output } = this;
    const { isReplaying } = output;
    output.isReplaying = false;
    const started = {
      ...{ type: 'RUN_STARTED' as const, threadId, runId },
      ...(parentRunId !== undefined && { parentRunId }),
      ...(version === '1.0' && { protocolVersion: version }),
      metadata: { parley: { interaction_id } },
    };
    output.emit([started]);
    if (isRepeated && !isReplaying) output.snapshot();
    output.isReplaying = isReplaying;
    return output.takeFrames();
  }

  take({ event }: FollowedEvent): readonly StreamFrame[] {
    if (this.isDone) return [];
    this.takeEvent(event);
    if ('seq' in event && !this.isDone) this.settle(event);
    return this.output.takeFrames();
  }

  fail({ message, code }: AppError): readonly StreamFrame[] {
    if (this.isDone) return [];
    this.isDone = true;
    this.output.isReplaying = false;
    this.emit([{ type: 'RUN_ERROR', message, code }]);
    return this.output.takeFrames();
  }

  /** The messages that a client has after these events. */
  messagesOf(events: readonly StreamEvent[]): readonly AgUiMessage[] {
    for (const event of events) this.takeEvent(event);
    return this.output.ownMessages();
  }

  /** After a record: the client gets what it lacks, and the run ends if nothing goes on. */
  private settle(event: RecordEvent): void {
    const { after, last, isOpen } = this.options;
    if (this.output.isReplaying && event.seq >= after) this.reopen();
    if (this.output.isReplaying) return;
    if (event.seq >= last) this.output.refresh();
    const open = this.work.blockedBy(isOpen);
    if (open.length > 0) this.interrupt(event, open);
  }

  private takeEvent(event: StreamEvent): void {
    this.work.take(event);
    if ('seq' in event) this.takeRecord(event);
    else this.takeOther(event);
  }

  private takeOther(event: Exclude<StreamEvent, RecordEvent>): void {
    switch (event.type) {
      case 'TEXT_DELTA':
      case 'THINKING_DELTA':
        return this.turns.delta(event, this.authorOf(event));
      case 'TOOL_OUTPUT_DELTA': {
        const { tool_call_id, offset, delta } = event;
        return this.custom('parley:tool_output', { tool_call_id, offset, delta }, event);
      }
      case 'TOOL_INPUT_DELTA': // names no tool, which a call begins with
      case 'TRACE':
    }
  }

  private takeRecord(event: RecordEvent): void {
    const author = this.authorOf(event);
    switch (event.type) {
      case 'THINKING':
      case 'MESSAGE':
      case 'ANSWER':
        return this.turns.say(event, author);
      case 'TURN_COMPLETED':
        this.usage.add(event);
        return this.turns.end(author.agent);
      case 'STEP_COMPLETED':
        return this.emit(this.turns.steps.own(event.name, author));
      case 'TOOL_CALL':
        return this.turns.call(event, author);
      case 'TOOL_RESULT':
        return this.turns.result(event, author);
      case 'APPROVAL_REQUIRED':
        return this.interrupts.approval(event, author);
      case 'INPUT_REQUIRED':
        return this.interrupts.question(event, author);
      case 'TOOL_RESULT_REQUIRED':
        return this.interrupts.call(event);
      case 'APPROVED':
      case 'REJECTED':
        return this.decide(event);
      case 'INPUT_RECEIVED': {
        const { request_id, answer, by, cause } = event;
        this.interrupts.settle(request_id);
        return this.custom('parley:answer', { request_id, answer, by, cause }, event);
      }
      case 'AGENT_STARTED':
        return this.emit(this.subagents.start(event));
      case 'AGENT_COMPLETED':
        this.turns.voidTexts(this.turns.texts.blocks(event.agent_id));
        this.turns.end(event.agent_id);
        return this.emit(this.subagents.complete(event));
      case 'AGENT_INTERVENED': {
        const { intervention_id, by, user_comment, user_content } = event;
        const value = { intervention_id, by, user_comment, user_content };
        return this.custom('parley:intervention', value, event);
      }
      case 'TASK_UPDATED': {
        const { task, deleted = false } = event;
        const { id } = task;
        return this.emit(
          deleted ? this.state.remove('tasks', id) : this.state.set('tasks', id, task),
        );
      }
      case 'METADATA_SET':
        return this.emit(this.state.set('metadata', event.key, event.value));
      case 'CUSTOM':
        return this.custom(event.name, event.data, event);
      case 'NOTICE':
        this.turns.voidTexts(event.void ?? []);
        return this.tell(event.code, event.message, event);
      case 'RESUMED':
        this.turns.voidTexts(this.turns.texts.blocks());
        this.turns.end();
        return this.tell('resumed', event.reason, event);
      case 'CANCELLED':
        this.cancelReason = event.reason;
        return undefined;
      case 'ERROR':
        this.failure = { code: event.code, message: event.message };
        return undefined;
      case 'INTERACTION_COMPLETE':
        return this.complete(event);
      case 'INTERACTION_STARTED': // the run has begun already
      case 'TOOL_STARTED':
      case 'AGENT_TOLD':
      case 'NOTE_READ':
        return undefined;
    }
  }

  private decide(event: EventOf<'APPROVED' | 'REJECTED'>): void {
    const { approval_id, tool_call_id, by, cause, reason } = event;
    const approved = event.type === 'APPROVED';
    this.interrupts.settle(approval_id);
    if (event.type === 'APPROVED' && event.modified_input)
      this.output.setArguments(tool_call_id, JSON.stringify(event.modified_input));
    const value = { approval_id, tool_call_id, approved, by, cause, reason };
    this.custom('parley:decision', value, event);
  }

  private tell(code: string, message: string, event: RecordEvent): void {
    this.custom('parley:notice', { code, message }, event);
  }

  private custom(name: string, value: unknown, event: StreamEvent): void {
    this.emit([{ type: 'CUSTOM', name, value, ...this.authorOf(event).tag }]);
  }

  private interrupt({ seq }: RecordEvent, open: readonly OpenRequest[]): void {
    const interrupts = this.interrupts.of(open);
    const calls = this.interrupts.callsOf(open);
    this.emit(this.turns.texts.end(this.turns.texts.blocks()));
    this.turns.end();
    this.emit(this.subagents.suspend(interrupts));
    if (interrupts.length > 0) this.output.snapshot();
    const pending = this.options.version === '1.0' && { pendingToolCallIds: calls };
    const outcome: RunOutcome =
      interrupts.length > 0 ? { type: 'interrupt', interrupts } : { type: 'success', ...pending };
    this.finish(outcome, { seq, status: 'WAITING' });
  }

  private complete({ seq, status }: EventOf<'INTERACTION_COMPLETE'>): void {
    this.turns.voidTexts(this.turns.texts.blocks());
    this.turns.end();
    this.emit(this.subagents.abandon(status.toLowerCase()));
    this.output.refresh();
    const about = { seq, status };
    if (status === 'COMPLETED') return this.finish({ type: 'success' }, about);
    if (status === 'FAILED') return this.end(this.failure, about);
    const { cancelReason: reason } = this;
    if (this.options.version === '1.0') this.finish({ type: 'cancelled' }, { ...about, reason });
    else this.end({ code: 'cancelled', message: reason }, about);
  }

  private finish(outcome: RunOutcome, parley: Json): void {
    const { threadId, runId } = this.options;
    const ended = { threadId, runId, outcome, usage: this.usage.list(), metadata: { parley } };
    this.emit([{ type: 'RUN_FINISHED', ...ended }]);
    this.isDone = true;
  }

  private end(error: { readonly code: string; readonly message: string }, parley: Json): void {
    const ended = { ...error, usage: this.usage.list(), metadata: { parley } };
    this.emit([{ type: 'RUN_ERROR', ...ended }]);
    this.isDone = true;
  }

  /** The client goes on after what it was told: all that is open begins anew for it. */
  private reopen(): void {
    this.output.isReplaying = false;
    this.output.snapshot();
    this.usage.clear();
    this.emit(this.state.reopen());
    this.emit(this.subagents.reopen());
    this.emit(this.turns.steps.reopen());
    this.emit(this.turns.texts.reopen());
  }

  private emit(events: readonly AgUiEvent[]): void {
    this.output.emit(events);
  }

  private authorOf({ agent_id: agent }: StreamEvent): Author {
    return { agent, tag: agent === this.options.root ? {} : { subagentRunId: agent } };
  }
}
