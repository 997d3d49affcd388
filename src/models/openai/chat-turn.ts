import type { FinishReason } from '../../protocol/events.js';
import type { Usage } from '../../protocol/interaction.js';
import type { AssistantMessage, ToolCall } from '../../protocol/message.js';
import type { ModelEvent } from '../model-provider.js';
import { finishReason } from '../answer/turn-fold.js';
import { GrowingText } from '../answer/growing-text.js';
import { isObject } from '../../kernel/json.js';
import { emptyAnswer, StreamedError, tooLarge } from '../answer/answer-errors.js';
import type { TurnFold } from '../answer/turn-fold.js';
import { TurnTraces } from '../answer/turn-traces.js';
import { CallSlots, type CallSlot } from './call-slots.js';
import { textOfContent, thinkingOfContent } from './chat-content.js';
import { usageIn } from './chat-usage.js';
import { isKeptField, keepFields, KeptFields, type Author } from './kept-fields.js';
import {
  CHUNK_FIELDS,
  DELTA_FIELDS,
  type CallDelta,
  type ChatChoice,
  type ChatChunk,
  type ChatDelta,
} from './chat-chunk.js';

export interface ChatTurnOptions {
  readonly author: Author;
  readonly emit: (event: ModelEvent) => void;
  /** Redacts secrets. */
  readonly scrub: (text: string) => string;
  /** Maximum number of characters of text, thinking and arguments together. */
  readonly max_chars: number;
}

const MAX_CALLS = 128;
const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
]);
/** Sent by some servers in place of no reason. */
const NO_REASON: ReadonlySet<unknown> = new Set(['', 'null', 'none']);

/** Folds the chunks of a chat completion, streamed or whole, into model events. */
export class ChatTurn implements TurnFold {
  readonly refused_json = 'JSON that is not a chat completion';
  /** Always false: a stream ends with `[DONE]`, which is not a chunk. */
  readonly over = false;
  readonly traces: TurnTraces;
  /** The first event that was no chunk. */
  stray: unknown;
  private readonly emit: (event: ModelEvent) => void;
  private readonly text = new GrowingText();
  private readonly thinking = new GrowingText();
  private readonly calls = new CallSlots();
  private readonly kept = new KeptFields();
  private readonly chunkFields = new Set(CHUNK_FIELDS);
  private readonly deltaFields = new Set(DELTA_FIELDS);
  private reason: string | undefined;
  private usage: Usage = { input_tokens: 0, output_tokens: 0 };
  private chars = 0;

  constructor(private readonly options: ChatTurnOptions) {
    this.emit = options.emit;
    this.traces = new TurnTraces(options.emit, options.scrub);
  }

  /** True if the server has sent the finish reason. */
  get finished(): boolean {
    return this.reason !== undefined;
  }

  /** True if nothing of a turn was received. */
  get isEmpty(): boolean {
    const { text, thinking, calls } = this;
    return text.text + thinking.text === '' && calls.all.length === 0;
  }

  /**
   * @throws StreamedError when the server reports an error
   * @throws ModelError when the turn gets too large
   */
  accept(chunk: unknown): void {
    if (!isObject(chunk)) return this.addStray(chunk);
    if (chunk.error || chunk.object === 'error') throw new StreamedError(chunk.error ?? chunk);
    const { choices, usage } = chunk as ChatChunk;
    this.usage = usageIn(chunk) ?? this.usage;
    if (!Array.isArray(choices)) return usage ? undefined : this.addStray(chunk);
    this.traces.unknownFields('unknown_chunk_field', chunk, this.chunkFields);
    if (isObject(choices[0])) this.acceptChoice(choices[0]);
  }

  acceptWhole(json: Readonly<Record<string, unknown>>): boolean {
    if (!json.error && json.object !== 'error' && !Array.isArray(json.choices)) return false;
    this.accept(json);
    return true;
  }

  /**
   * Emits the last events of the turn.
   * @throws ModelError if it has nothing but thoughts
   */
  complete(): void {
    this.emitDelta('thinking_delta', this.thinking.end());
    this.emitDelta('text_delta', this.text.end());
    const slots = this.calls.all.filter((slot) => this.isCall(slot));
    const finish_reason = this.finishReason(slots.length > 0);
    if (finish_reason === 'stop' && this.text.text.trim() === '') throw emptyAnswer();
    const tool_calls = slots.map((slot) => this.completeCall(slot));
    const message = this.message(tool_calls, slots);
    this.emit({ type: 'response_completed', message, finish_reason, usage: this.usage });
  }

  private addStray(event: unknown): void {
    this.stray ??= event;
    this.traces.add('unknown_event', event);
  }

  /** A call without a name is an error of the model, unless it is a remnant beside an answer. */
  private isCall({ name, arguments: { text } }: CallSlot): boolean {
    if (name.trim() !== '') return true;
    const isBlank = text.trim() === '' || text.trim() === '{}';
    if (!isBlank && (this.reason !== 'stop' || this.text.text.trim() === '')) return true;
    this.traces.add('nameless_call', text);
    return false;
  }

  private acceptChoice(choice: ChatChoice): void {
    if (choice.delta) this.acceptDelta(choice.delta);
    else if (choice.message) this.acceptSummary(choice.message);
    const { finish_reason: reason } = choice;
    if (typeof reason === 'string' && !NO_REASON.has(reason)) this.reason = reason;
  }

  /** A whole message. After deltas it repeats them, so only what they lack is taken from it. */
  private acceptSummary(message: ChatDelta): void {
    const hadCalls = this.calls.all.length > 0;
    const { tool_calls, function_call, ...said } = message;
    const rest: ChatDelta = {
      ...said,
      content: unsaid(this.text.text, textOfContent(said.content)),
      refusal: unsaid(this.text.text, textOfContent(said.refusal)),
      ...(!hadCalls && { tool_calls, function_call }),
    };
    const thoughts = thinkingOfContent(said.content);
    const { reasoning_content = thoughts, ...others } = rest;
    if (this.thinking.text === '') this.acceptDelta({ ...others, reasoning_content });
    else this.acceptDelta(withoutThoughts(others));
  }

  private acceptDelta(delta: ChatDelta): void {
    this.count(this.kept.addMessage(delta));
    for (const name in delta) if (isKeptField(name)) this.deltaFields.add(name);
    this.traces.unknownFields('unknown_delta_field', delta, this.deltaFields);
    this.addThinking(delta.reasoning_content || delta.reasoning);
    if (Array.isArray(delta.content)) this.addThinking(thinkingOfContent(delta.content));
    this.addText(textOfContent(delta.content));
    this.addText(delta.refusal);
    if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) this.acceptCall(call);
    if (delta.function_call) this.acceptCall({ index: 0, function: delta.function_call });
  }

  private addThinking(delta: unknown): void {
    if (typeof delta === 'string' && delta !== '')
      this.emitDelta('thinking_delta', this.thinking.append(this.counted(delta)));
  }

  private addText(delta: unknown): void {
    if (typeof delta === 'string' && delta !== '')
      this.emitDelta('text_delta', this.text.append(this.counted(delta)));
  }

  private acceptCall(delta: unknown): void {
    if (!isObject(delta)) return this.traces.add('unknown_tool_call', delta);
    const call = delta as CallDelta;
    const assigned = this.calls.of(call);
    if (!assigned) return;
    const { slot, added } = assigned;
    if (slot.index >= MAX_CALLS) throw tooLarge(`more than ${MAX_CALLS} tool calls`);
    this.count(slot.kept.addCall(delta));
    this.nameCall(slot, call);
    const text = slot.arguments.append(this.counted(added));
    if (slot.started) this.emitArguments(slot, text);
    else if (slot.name.trim() !== '') this.startCall(slot);
  }

  private nameCall(slot: CallSlot, { id, function: named }: CallDelta): void {
    if (slot.id === '' && typeof id === 'string') slot.id = this.counted(id);
    if (slot.name === '' && typeof named?.name === 'string') slot.name = this.counted(named.name);
  }

  private startCall(slot: CallSlot): void {
    slot.started = true;
    this.emit({ type: 'tool_call_started', index: slot.index, id: slot.id, name: slot.name });
    this.emitArguments(slot, slot.arguments.text);
  }

  private completeCall(slot: CallSlot): ToolCall {
    if (!slot.started) this.startCall(slot);
    const isEmpty = slot.arguments.text.trim() === '';
    this.emitArguments(slot, isEmpty ? slot.arguments.append('{}') : slot.arguments.end());
    const { index, id, name } = slot;
    this.emit({ type: 'tool_call_ready', index, id, name, arguments: slot.arguments.text });
    return { id, type: 'function', function: { name, arguments: slot.arguments.text } };
  }

  private emitArguments({ index }: CallSlot, delta: string): void {
    if (delta !== '') this.emit({ type: 'tool_call_args_delta', index, delta });
  }

  private emitDelta(type: 'text_delta' | 'thinking_delta', delta: string): void {
    if (delta !== '') this.emit({ type, delta });
  }

  private counted(text: string): string {
    this.count(text.length);
    return text;
  }

  private count(chars: number): void {
    this.chars += chars;
    if (this.chars > this.options.max_chars)
      throw tooLarge(`more than ${this.options.max_chars} characters`);
  }

  private finishReason(hasCalls: boolean): FinishReason {
    const reason = this.reason ?? 'stop';
    if (reason === 'error') throw new StreamedError('the turn ended with finish_reason "error"');
    const known = finishReason(REASONS, reason, hasCalls);
    if (known) return known;
    this.traces.add('unknown_finish_reason', reason);
    return hasCalls ? 'tool_calls' : 'stop';
  }

  private message(tool_calls: readonly ToolCall[], slots: readonly CallSlot[]): AssistantMessage {
    const ofCalls = slots.map(({ kept }) => kept.all);
    const provider_data = keepFields(this.options.author, this.kept.all, ofCalls);
    const content = tool_calls.length > 0 ? this.text.text || null : this.text.text;
    return {
      ...{ role: 'assistant', content },
      ...(tool_calls.length > 0 && { tool_calls }),
      ...(provider_data && { provider_data }),
    };
  }
}

/** The rest of a summary after the text that was received; empty unless it begins with it. */
function unsaid(text: string, summary: string): string {
  return summary.startsWith(text) ? summary.slice(text.length) : '';
}

function withoutThoughts(delta: ChatDelta): ChatDelta {
  return Object.fromEntries(Object.entries(delta).filter(([name]) => !isKeptField(name)));
}
