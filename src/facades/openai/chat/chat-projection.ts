import type { FollowedEvent } from '../../../event-log/follow/follower.js';
import type { StreamEvent } from '../../../event-log/follow/stream-event.js';
import { AppError } from '../../../kernel/app-error.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import { addUsage, NO_USAGE } from '../../../protocol/interaction.js';
import type { FinalStatus, Usage } from '../../../protocol/interaction.js';
import type { StreamFrame } from '../../../streams/event-streams.js';
import { OpenWork } from '../../base/open-work.js';
import type { StreamedProjection } from '../../base/projected-streams.js';
import { describeQuestion } from '../../base/describe-question.js';
import { formatCallId, formatCompletionId } from '../ids.js';
import { BETWEEN_TEXTS } from './history-turns.js';

export interface ChatProjectionOptions {
  readonly row: Pick<InteractionRow, 'id' | 'agent_id' | 'created_at'>;
  /** The model as the client named it. */
  readonly model: string;
  /** The last record before the part that is answered; 0: all of it. */
  readonly after: number;
  readonly include_usage: boolean;
}

type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls';

interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/**
 * A chat completion: texts of the root agent, and calls of tools that the client runs. It ends with
 * the interaction, or when that goes on only once the client has run its tools.
 */
export class ChatProjection implements StreamedProjection {
  private readonly work = new OpenWork();
  /** Texts by block, in order; those that are void or were replaced are taken out. */
  private readonly texts = new Map<string, string>();
  private readonly open = new Set<string>();
  private readonly calls: ToolCall[] = [];
  /** Questions that wait for the next message. */
  private readonly questions = new Map<string, string>();
  private usage: Usage = NO_USAGE;
  private finish: FinishReason = 'stop';
  private seq = 0;
  private hasText = false;
  private lastBlock: string | undefined;
  private failure: AppError | undefined;
  isDone = false;

  constructor(private readonly options: ChatProjectionOptions) {}

  begin(): readonly StreamFrame[] {
    return [this.chunk({ role: 'assistant', content: '' })];
  }

  take({ event }: FollowedEvent): readonly StreamFrame[] {
    if ('seq' in event) this.seq = event.seq;
    this.work.take(event);
    if (this.seq <= this.options.after) return [];
    const frames = this.project(event);
    if (!this.isDone && 'seq' in event && this.isAsking) return [...frames, ...this.end()];
    return frames;
  }

  fail(error: AppError): readonly StreamFrame[] {
    this.isDone = true;
    const { message, code } = error;
    return [toFrame({ error: { message, code, type: 'server_error', param: null } })];
  }

  /** The whole answer. @throws AppError `interaction_failed` (422) if there is none */
  completion(): object {
    if (this.failure) throw this.failure;
    const content = [...this.texts.values()].filter(Boolean).join(BETWEEN_TEXTS);
    const asked = this.calls.length > 0;
    const message = {
      role: 'assistant',
      content: content === '' && asked ? null : content,
      refusal: null,
      ...(asked && { tool_calls: this.calls }),
    };
    return {
      ...this.head('chat.completion'),
      choices: [{ index: 0, message, finish_reason: this.finish, logprobs: null }],
      usage: toUsage(this.usage),
    };
  }

  private project(event: StreamEvent): readonly StreamFrame[] {
    const isRoot = event.agent_id === this.options.row.agent_id;
    switch (event.type) {
      case 'TEXT_DELTA':
        return isRoot ? this.addText(event.block_id, event.delta) : [];
      case 'THINKING_DELTA':
        return isRoot ? [this.chunk({ reasoning_content: event.delta })] : [];
      case 'MESSAGE':
        this.open.delete(event.block_id);
        return [];
      case 'ANSWER':
        this.open.delete(event.block_id);
        if (isRoot) this.finish = reasonOf(event.finish_reason);
        if (event.replaces !== undefined) this.drop(event.replaces);
        return [];
      case 'TURN_COMPLETED':
        this.usage = addUsage(this.usage, event.usage);
        return [];
      case 'TOOL_RESULT_REQUIRED':
        return [this.addCall(event)];
      case 'INPUT_REQUIRED':
        this.questions.set(event.request_id, describeQuestion(event.question, event.options));
        return [];
      case 'INPUT_RECEIVED':
        this.questions.delete(event.request_id);
        return [];
      case 'NOTICE':
        for (const block of event.void ?? []) this.drop(block);
        return [];
      case 'RESUMED':
        for (const block of this.open) this.drop(block);
        return [];
      case 'ERROR':
        this.failure = failed(`The agent failed: ${event.message}`, event.code);
        return [];
      case 'CANCELLED':
        this.failure = failed(`The interaction was cancelled: ${event.reason}`, 'cancelled');
        return [];
      case 'INTERACTION_COMPLETE':
        return this.complete(event.status);
      // Only the answer counts here: docs/protocols.md says where the rest is.
      case 'INTERACTION_STARTED':
      case 'THINKING':
      case 'TOOL_CALL':
      case 'TOOL_STARTED':
      case 'TOOL_RESULT':
      case 'APPROVAL_REQUIRED':
      case 'APPROVED':
      case 'REJECTED':
      case 'AGENT_STARTED':
      case 'AGENT_COMPLETED':
      case 'AGENT_INTERVENED':
      case 'AGENT_TOLD':
      case 'NOTE_READ':
      case 'STEP_COMPLETED':
      case 'CUSTOM':
      case 'METADATA_SET':
      case 'TASK_UPDATED':
      case 'TOOL_INPUT_DELTA':
      case 'TOOL_OUTPUT_DELTA':
      case 'TRACE':
        return [];
    }
  }

  /** It waits, and for something that the client can give. */
  private get isAsking(): boolean {
    return this.calls.length + this.questions.size > 0 && this.work.isBlocked;
  }

  private complete(status: FinalStatus): readonly StreamFrame[] {
    if (status === 'COMPLETED') this.failure = undefined;
    else this.failure ??= failed('The agent failed.', 'failed');
    if (this.failure) return this.fail(this.failure);
    return this.end();
  }

  private end(): readonly StreamFrame[] {
    this.isDone = true;
    const asks = this.calls.length > 0;
    const texts = asks ? [] : [...this.questions].flatMap(([id, text]) => this.addText(id, text));
    if (asks) this.finish = 'tool_calls';
    return [
      ...texts,
      this.chunk({}, this.finish),
      ...(this.options.include_usage ? [this.usageChunk()] : []),
      { data: '[DONE]' },
    ];
  }

  private addText(block: string, delta: string): readonly StreamFrame[] {
    const isNew = block !== this.lastBlock && this.hasText;
    this.texts.set(block, (this.texts.get(block) ?? '') + delta);
    this.open.add(block);
    this.lastBlock = block;
    this.hasText = true;
    return [this.chunk({ content: isNew ? BETWEEN_TEXTS + delta : delta })];
  }

  private drop(block: string): void {
    this.texts.delete(block);
    this.open.delete(block);
  }

  private addCall(event: {
    readonly tool_call_id: string;
    readonly tool_name: string;
    readonly tool_input: string;
  }): StreamFrame {
    const id = formatCallId(event.tool_call_id, this.options.row.id);
    const called = { name: event.tool_name, arguments: event.tool_input };
    const call: ToolCall = { id, type: 'function', function: called };
    this.calls.push(call);
    return this.chunk({ tool_calls: [{ index: this.calls.length - 1, ...call }] });
  }

  private chunk(delta: object, finish_reason: FinishReason | null = null): StreamFrame {
    const choices = [{ index: 0, delta, finish_reason, logprobs: null }];
    return toFrame({ ...this.head('chat.completion.chunk'), choices });
  }

  private usageChunk(): StreamFrame {
    const usage = toUsage(this.usage);
    return toFrame({ ...this.head('chat.completion.chunk'), choices: [], usage });
  }

  private head(object: string): object {
    const { row, model, after } = this.options;
    const id = formatCompletionId({ interaction_id: row.id, after });
    return { id, object, created: Math.floor(Date.parse(row.created_at) / 1000), model };
  }
}

function toFrame(value: object): StreamFrame {
  return { data: JSON.stringify(value) };
}

/** Repeated requests would begin anew: 422 is a status that clients don't repeat. */
function failed(message: string, cause: string): AppError {
  return new AppError('unprocessable', 'interaction_failed', message, { extra: { cause } });
}

function reasonOf(reason: string | undefined): FinishReason {
  return reason === 'length' || reason === 'content_filter' ? reason : 'stop';
}

function toUsage(usage: Usage): object {
  const { input_tokens, output_tokens, cache_write_tokens } = usage;
  const { cached_tokens = 0, reasoning_tokens = 0 } = usage;
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: {
      cached_tokens,
      ...(cache_write_tokens !== undefined && { cache_write_tokens }),
    },
    completion_tokens_details: { reasoning_tokens },
  };
}
