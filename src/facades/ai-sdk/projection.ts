import type { StreamEvent } from '../../event-log/follow/stream-event.js';
import type { RecordEvent } from '../../protocol/events.js';
import { NO_USAGE, addUsage } from '../../protocol/interaction.js';
import type { Usage } from '../../protocol/interaction.js';
import { OpenWork } from '../base/open-work.js';
import type { OpenRequest } from '../base/open-work.js';
import { Agents } from './agents.js';
import { Calls } from './calls.js';
import { Step } from './step.js';
import type { AiSdkVersion, EventOf, FinishReason, MessageMetadata, UiChunk } from './ui-chunk.js';

export interface ProjectionOptions {
  readonly version: AiSdkVersion;
  /** Names of the tools that the client runs. */
  readonly client_tools: ReadonlySet<string>;
  /** The client has the message up to this record; 0: it has nothing. */
  readonly after: number;
  /** False for requests that are settled, although no record says so yet. */
  readonly isOpen: (request: OpenRequest) => boolean;
}

const ENDINGS = { COMPLETED: 'stop', FAILED: 'error', CANCELLED: 'other' } as const;

/**
 * An interaction as one assistant message of an AI SDK client: a fold over its events, from the
 * first. Its id is that of the interaction. The stream ends with the interaction, or when nothing
 * goes on before a request is settled.
 */
export class UiMessageProjection {
  /** True once the stream has ended: no event changes anything then. */
  isOver = false;
  private readonly work = new OpenWork();
  private readonly step: Step;
  private readonly calls: Calls;
  private readonly agents = new Agents();
  private root: string | undefined;
  private isReplaying: boolean;
  private usage: Usage = NO_USAGE;
  private answerEnd: FinishReason | undefined;
  private cancelReason: string | undefined;
  private failure = 'The interaction failed.';

  constructor(private readonly options: ProjectionOptions) {
    const { version, client_tools, after } = options;
    this.isReplaying = after > 0;
    this.step = new Step(version);
    this.calls = new Calls(this.step, { version, client_tools });
  }

  /** The frames that the event adds. */
  take(event: StreamEvent): readonly UiChunk[] {
    if (this.isOver) return [];
    this.work.take(event);
    const chunks = 'seq' in event ? this.takeRecord(event) : this.takeOther(event);
    if (!this.isReplaying) return this.withEnd(event, chunks);
    if (!('seq' in event) || event.seq < this.options.after) return [];
    this.isReplaying = false;
    this.step.continue();
    const begun = [startOf(event)];
    return this.isOver ? [...begun, ...chunks] : this.withEnd(event, begun);
  }

  /** Ends the stream with an error that is not of the interaction. */
  fail(message: string): readonly UiChunk[] {
    if (this.isOver) return [];
    this.isOver = true;
    return [{ type: 'error', errorText: message }];
  }

  /** Also ends the stream, if nothing goes on. */
  private withEnd(event: StreamEvent, chunks: readonly UiChunk[]): readonly UiChunk[] {
    if (this.isOver || !('seq' in event)) return chunks;
    if (this.work.blockedBy(this.options.isOpen).length === 0) return chunks;
    this.isOver = true;
    const messageMetadata = this.metadata(event, 'WAITING');
    const finish = { type: 'finish', finishReason: 'tool-calls', messageMetadata } as const;
    return [...chunks, ...this.step.end(), finish];
  }

  private takeOther(event: Exclude<StreamEvent, RecordEvent>): readonly UiChunk[] {
    switch (event.type) {
      case 'TEXT_DELTA':
      case 'THINKING_DELTA':
        return this.isRoot(event) ? this.step.delta(event) : [];
      case 'TOOL_OUTPUT_DELTA': {
        const { tool_call_id, offset, delta } = event;
        const data = { tool_call_id, offset, delta };
        return [{ type: 'data-tool-output', transient: true, data }];
      }
      case 'TOOL_INPUT_DELTA': // names no tool, which a part has to have
      case 'TRACE':
        return [];
    }
  }

  private takeRecord(event: RecordEvent): readonly UiChunk[] {
    switch (event.type) {
      case 'INTERACTION_STARTED':
        this.root = event.agent_id;
        return [startOf(event)];
      case 'THINKING':
        return this.isRoot(event) ? this.step.close(event) : [];
      case 'MESSAGE':
        return this.isRoot(event) ? this.step.close(event) : this.step.add(this.agents.say(event));
      case 'ANSWER':
        this.answerEnd = endOf(event);
        return this.step.close(event);
      case 'TURN_COMPLETED':
        this.usage = addUsage(this.usage, event.usage);
        if (this.isRoot(event)) this.step.turnEnds();
        return [];
      case 'TOOL_CALL':
        return this.calls.call(event, this.isRoot(event));
      case 'TOOL_RESULT':
        return this.calls.result(event);
      case 'APPROVAL_REQUIRED':
        return this.calls.ask(event);
      case 'APPROVED':
      case 'REJECTED':
        return this.calls.decide(event);
      case 'INPUT_REQUIRED':
        return this.calls.question(event);
      case 'INPUT_RECEIVED':
        return this.calls.answer(event);
      case 'AGENT_STARTED':
        return this.step.add(this.agents.start(event));
      case 'AGENT_COMPLETED':
        return this.step.add(this.agents.complete(event));
      case 'AGENT_INTERVENED': {
        const { intervention_id, by, user_comment, user_content, agent_id } = event;
        const data = { intervention_id, agent_id, by, user_comment, user_content };
        return this.step.add({ type: 'data-intervention', id: intervention_id, data });
      }
      case 'TASK_UPDATED': {
        const { task, deleted = false } = event;
        return this.step.add({ type: 'data-task', id: task.id, data: { ...task, deleted } });
      }
      case 'CUSTOM': {
        const { name, data, agent_id } = event;
        return this.step.add({ type: 'data-custom', data: { name, data, agent_id } });
      }
      case 'METADATA_SET': {
        const messageMetadata = { parley: { metadata: { [event.key]: event.value } } };
        return [{ type: 'message-metadata', messageMetadata }];
      }
      case 'NOTICE':
        return this.notice(event);
      case 'RESUMED':
        return [...this.step.voidAll(), notice('resumed', event.reason)];
      case 'CANCELLED':
        this.cancelReason = event.reason;
        return [];
      case 'ERROR':
        this.failure = event.message;
        return [];
      case 'INTERACTION_COMPLETE':
        return this.complete(event);
      case 'TOOL_STARTED':
      case 'TOOL_RESULT_REQUIRED': // its call is a part already
      case 'STEP_COMPLETED':
      case 'AGENT_TOLD':
      case 'NOTE_READ':
        return [];
    }
  }

  private notice(event: EventOf<'NOTICE'>): readonly UiChunk[] {
    const { code, message, void: voided = [] } = event;
    const settled = code === 'deferred_call_settled' ? this.calls.settleDeferred(message) : [];
    return [...this.step.voidBlocks(voided), ...settled, notice(code, message)];
  }

  private complete(event: EventOf<'INTERACTION_COMPLETE'>): readonly UiChunk[] {
    this.isOver = true;
    const { status } = event;
    const messageMetadata = this.metadata(event, status);
    const told: UiChunk[] = this.step.end();
    // clients read nothing after an error
    if (status === 'FAILED')
      told.push(
        { type: 'message-metadata', messageMetadata },
        { type: 'error', errorText: this.failure },
      );
    if (status === 'CANCELLED') told.push(this.abort());
    return [...told, { type: 'finish', finishReason: this.ending(status), messageMetadata }];
  }

  private abort(): UiChunk {
    const { cancelReason: reason } = this;
    const isTold = this.options.version > 5 && reason !== undefined;
    return { type: 'abort', ...(isTold && { reason }) };
  }

  private ending(status: keyof typeof ENDINGS): FinishReason {
    if (status === 'COMPLETED') return this.answerEnd ?? 'stop';
    return status === 'CANCELLED' && this.options.version > 6 ? 'interrupted' : ENDINGS[status];
  }

  private metadata(
    { seq }: RecordEvent,
    status: NonNullable<MessageMetadata['parley']['status']>,
  ): MessageMetadata {
    return { parley: { seq, status, usage: this.usage } };
  }

  private isRoot({ agent_id }: StreamEvent): boolean {
    return agent_id === this.root;
  }
}

/** Begins the message, or its continuation. */
function startOf(event: RecordEvent): UiChunk {
  const { interaction_id } = event;
  const begun = event.type === 'INTERACTION_STARTED' ? event : undefined;
  const about = begun && { chat_id: begun.chat_id, agent: begun.agent, model: begun.model };
  const messageMetadata = { parley: { interaction_id, ...about } };
  return { type: 'start', messageId: interaction_id, messageMetadata };
}

/** Kept out of the message: it would outlast what it is about. */
function notice(code: string, message: string): UiChunk {
  return { type: 'data-notice', transient: true, data: { code, message } };
}

function endOf({ finish_reason }: EventOf<'ANSWER'>): FinishReason {
  if (finish_reason === 'length') return 'length';
  return finish_reason === 'content_filter' ? 'content-filter' : 'stop';
}
