import type { Entry } from '../../event-log/append/run-log.js';
import { ModelError } from '../../models/model-error.js';
import type { ModelEvent } from '../../models/model-provider.js';
import type { Usage } from '../../protocol/interaction.js';
import type { AssistantMessage, ToolCall } from '../../protocol/message.js';
import { textTokens } from '../context-window/estimate-tokens.js';
import { boundedUsage } from '../../models/answer/bounded-usage.js';
import { countUsage } from '../limits/count-usage.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { RunningTurn, ShownText } from '../scope/running.js';
import { TurnGuard } from './guarded-block.js';
import type { BlockType, GuardedBlock } from './guarded-block.js';
import { StreamingToolCall } from './streaming-tool-call.js';
import { cutText } from '../../kernel/text/cut-text.js';

/** A leading surrogate at the end: its other half is missing, so readers have not seen it. */
const HALF_PAIR = /[\ud800-\udbff]$/;

/** The types of events that a provider may send. */
const EVENT_TYPES: Readonly<Record<ModelEvent['type'], true>> = {
  text_delta: true,
  thinking_delta: true,
  tool_call_started: true,
  tool_call_args_delta: true,
  tool_call_ready: true,
  response_completed: true,
  notice: true,
  trace: true,
};
const MAX_TYPE = 64;

type Completed = Extract<ModelEvent, { type: 'response_completed' }>;
type Notice = Extract<ModelEvent, { type: 'notice' }>;

interface TurnStreamOptions {
  /** `<provider>/<name>` of the model. */
  readonly model: string;
  readonly agent_id: string;
  readonly agent_type: string;
  /** False: readers see only the tool calls of the turn. */
  readonly visible: boolean;
  /** A turn without tool calls is the answer. */
  readonly answers: boolean;
}

/** Attempt at a model turn: converts the provider's events to deltas, and at the end to records. */
export class TurnStream implements RunningTurn {
  private thinking: GuardedBlock | undefined;
  private text: GuardedBlock | undefined;
  private readonly guard: TurnGuard;
  private readonly calls = new Map<number, StreamingToolCall>();
  private completed: Completed | undefined;
  private readonly told: Notice[] = [];
  /** Estimated tokens of the request. */
  requestTokens = 0;
  /** True if a guardrail has changed the name or the id of a call. */
  private isCallChanged = false;

  constructor(
    private readonly scope: AgentScope,
    readonly options: TurnStreamOptions,
  ) {
    this.guard = new TurnGuard(scope, options);
  }

  /** Reads the response to its end. @throws ModelError, Tripwire */
  async read(events: AsyncIterable<ModelEvent>): Promise<Completed> {
    for await (const event of events) {
      this.scope.signal.throwIfAborted(); // a provider may notice the abort late
      this.requireKnown(event);
      await this.accept(event);
    }
    if (!this.completed)
      throw new ModelError('model_cut_off', 'The model stopped in the middle of its answer.', {
        retryable: true,
      });
    if (this.calls.size === 0 && this.completed.message.tool_calls?.length)
      throw this.fault('a message with tool_calls, but no tool_call_ready for them');
    for (const block of this.blocks()) await block.end();
    await this.guard.check(this.text?.text ?? '');
    return this.completed;
  }

  get shownText(): ShownText | undefined {
    const content = this.text?.text.replace(HALF_PAIR, '');
    if (!this.options.visible || !this.text || !content) return undefined;
    return { block_id: this.text.id, content };
  }

  /** True if the turn is an answer that the limit of tokens cut off. */
  get isCutAnswer(): boolean {
    const { answers, visible } = this.options;
    return answers && visible && this.calls.size === 0 && this.cutReason === 'length';
  }

  private get cutReason(): 'length' | 'content_filter' | undefined {
    const reason = this.completed?.finish_reason;
    return reason === 'length' || reason === 'content_filter' ? reason : undefined;
  }

  /** Notices of the provider for people; each is given once. */
  takeNotices(): readonly Notice[] {
    return this.told.splice(0);
  }

  shownBlockIds(): string[] {
    const shown = this.blocks().filter((block) => block.isShown);
    return shown.map(({ id }) => id);
  }

  toolCalls(): ToolCall[] {
    return [...this.calls.values()].map((call) => call.toToolCall());
  }

  /**
   * The usage of the turn as the vendor reports it; missing numbers are estimated. Returns the
   * reported object itself if it is complete, undefined if the model has sent nothing.
   */
  usage(): Usage | undefined {
    const input = this.requestTokens;
    const texts = this.blocks().map(({ text }) => text);
    const output = textTokens(texts.join(''));
    if (this.completed) return countUsage(this.completed.usage, { input, output });
    return texts.length > 0 ? { input_tokens: input, output_tokens: output } : undefined;
  }

  message(): AssistantMessage {
    const tool_calls = this.toolCalls();
    const content = this.text?.text ?? '';
    // Provider data repeats the original text, so it must not be kept for redacted output.
    const isChanged = this.isCallChanged || this.blocks().some((block) => block.isChanged);
    const provider_data = isChanged ? undefined : this.completed?.message.provider_data;
    return {
      role: 'assistant',
      content: content === '' && tool_calls.length > 0 ? null : content,
      ...(tool_calls.length > 0 && { tool_calls }),
      ...(provider_data && { provider_data }),
    };
  }

  /** The records of the whole turn, in order. `callKey` gives the journal key of its nth call. */
  entries(callKey: (index: number) => string): Entry[] {
    const { visible } = this.options;
    const texts = visible ? [...this.guard.remarks(), ...this.textEntries()] : [];
    return [...texts, ...this.callEntries(callKey)];
  }

  private blocks(): GuardedBlock[] {
    const calls = [...this.calls.values()].map(({ block }) => block);
    return [this.thinking, this.text, ...calls].filter((block) => block !== undefined);
  }

  private textEntries(): Entry[] {
    const entries: Entry[] = [];
    const thinking = this.thinking;
    if (thinking)
      entries.push(this.entry({ type: 'THINKING', block_id: thinking.id, content: thinking.text }));
    const answers = this.options.answers && this.calls.size === 0;
    const text = this.text ?? (answers ? this.block('TEXT_DELTA') : undefined);
    if (text) {
      const content = { block_id: text.id, content: text.text };
      const finish_reason = this.cutReason;
      entries.push(
        this.entry(
          answers
            ? { type: 'ANSWER', ...content, ...(finish_reason && { finish_reason }) }
            : { type: 'MESSAGE', ...content },
        ),
      );
    }
    return entries;
  }

  private callEntries(callKey: (index: number) => string): Entry[] {
    const { agent_id } = this.options;
    return [...this.calls.values()].map((call, index) => ({
      ...{ agent_id, key: callKey(index) },
      ...call.toRecord(),
    }));
  }

  private entry(body: Entry['body']): Entry {
    return { agent_id: this.options.agent_id, key: null, body };
  }

  /** A provider of a package may send anything. What is skipped would be missing in the answer. */
  private requireKnown(event: ModelEvent): void {
    if (Object.hasOwn(EVENT_TYPES, event.type)) return;
    void this.accept({ type: 'trace', name: 'unknown_event', detail: event });
    const type = JSON.stringify(cutText(event.type, MAX_TYPE));
    const known = Object.keys(EVENT_TYPES).join(', ');
    throw this.fault(`an event of the unknown type ${type}. The types are: ${known}`);
  }

  private fault(what: string): ModelError {
    const message = `The provider of ${this.options.model} sent ${what}.`;
    return new ModelError('model_bad_response', message, { retryable: false });
  }

  private accept(event: ModelEvent): Promise<void> | void {
    switch (event.type) {
      case 'text_delta':
        if (event.delta === '') return;
        return (this.text ??= this.block('TEXT_DELTA')).push(event.delta);
      case 'thinking_delta':
        if (event.delta === '') return;
        return (this.thinking ??= this.block('THINKING_DELTA')).push(event.delta);
      case 'tool_call_started':
        return void this.call(event.index, event);
      case 'tool_call_args_delta':
        return this.calls.get(event.index)?.block.push(event.delta);
      case 'tool_call_ready':
        return this.finishCall(event);
      case 'response_completed':
        this.completed = { ...event, usage: boundedUsage(event.usage) };
        return undefined;
      case 'notice':
        return void this.told.push(event);
      case 'trace': {
        const { name } = event;
        const detail = this.guard.trace(event.detail);
        return this.scope.run.log.trace(this.options.agent_id, { type: 'TRACE', name, detail });
      }
    }
  }

  private call(index: number, { id, name }: { id: string; name: string }): StreamingToolCall {
    const known = this.calls.get(index);
    if (known) return known;
    const shown = { id: this.guard.callText(id), name: this.guard.callText(name) };
    this.isCallChanged ||= shown.id !== id || shown.name !== name;
    const unique = this.scope.run.callIds.claim(shown.id);
    const call = new StreamingToolCall(unique, shown.name, this.block('TOOL_INPUT_DELTA', unique));
    this.calls.set(index, call);
    return call;
  }

  private async finishCall(event: Extract<ModelEvent, { type: 'tool_call_ready' }>): Promise<void> {
    const { block } = this.call(event.index, event);
    if (!block.isBegun) await block.fill(event.arguments);
  }

  private block(type: BlockType, id?: string): GuardedBlock {
    return this.guard.block(type, {
      agent_id: this.options.agent_id,
      silent: !this.options.visible,
      ...(id !== undefined && { tool_call_id: id }),
    });
  }
}
