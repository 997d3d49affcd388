import type { FinishReason } from '../../protocol/events.js';
import type { Usage } from '../../protocol/interaction.js';
import type { AssistantMessage, ToolCall } from '../../protocol/message.js';
import type { ModelEvent } from '../model-provider.js';
import { finishReason, tokens } from '../answer/turn-fold.js';
import { GrowingText } from '../answer/growing-text.js';
import { isObject } from '../../kernel/json.js';
import { StreamedError, tooLarge } from '../answer/answer-errors.js';
import type { TurnFold } from '../answer/turn-fold.js';
import { TurnTraces } from '../answer/turn-traces.js';
import { CallSlots, type CallSlot } from './call-slots.js';
import {
  CHUNK_FIELDS,
  DELTA_FIELDS,
  type CallDelta,
  type ChatChoice,
  type ChatChunk,
  type ChatDelta,
} from './chat-chunk.js';

export interface ChatTurnOptions {
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

/** Folds the chunks of a chat completion, streamed or whole, into model events. */
export class ChatTurn implements TurnFold {
  readonly refused_json = 'JSON that is not a chat completion';
  /** Always false: a stream ends with `[DONE]`, which is not a chunk. */
  readonly over = false;
  readonly traces: TurnTraces;
  private readonly emit: (event: ModelEvent) => void;
  private readonly text = new GrowingText();
  private readonly thinking = new GrowingText();
  private readonly calls = new CallSlots();
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

  /**
   * @throws StreamedError when the server reports an error
   * @throws ModelError when the turn gets too large
   */
  accept(chunk: unknown): void {
    if (!isObject(chunk)) return this.traces.add('unknown_event', chunk);
    if (chunk.error || chunk.object === 'error') throw new StreamedError(chunk.error ?? chunk);
    const { choices, usage } = chunk as ChatChunk;
    if (isObject(usage)) this.usage = usageOf(usage);
    if (!Array.isArray(choices)) return usage ? undefined : this.traces.add('unknown_event', chunk);
    this.traces.unknownFields('unknown_chunk_field', chunk, this.chunkFields);
    if (isObject(choices[0])) this.acceptChoice(choices[0]);
  }

  acceptWhole(json: Readonly<Record<string, unknown>>): boolean {
    if (!json.error && json.object !== 'error' && !Array.isArray(json.choices)) return false;
    this.accept(json);
    return true;
  }

  /** Emits the last events of the turn. */
  complete(): void {
    this.emitDelta('thinking_delta', this.thinking.end());
    this.emitDelta('text_delta', this.text.end());
    const tool_calls = this.calls.all.map((slot) => this.completeCall(slot));
    const finish_reason = this.finishReason(tool_calls.length > 0);
    this.emit({
      type: 'response_completed',
      message: this.message(tool_calls),
      finish_reason,
      usage: this.usage,
    });
  }

  private acceptChoice(choice: ChatChoice): void {
    const delta = choice.delta ?? choice.message;
    if (delta) this.acceptDelta(delta);
    if (typeof choice.finish_reason === 'string') this.reason = choice.finish_reason;
  }

  private acceptDelta(delta: ChatDelta): void {
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
    const slot = this.calls.of(call);
    if (slot.index >= MAX_CALLS) throw tooLarge(`more than ${MAX_CALLS} tool calls`);
    this.nameCall(slot, call);
    const text = slot.arguments.append(this.counted(argumentsText(call.function?.arguments)));
    if (slot.started) this.emitArguments(slot, text);
    else if (slot.name !== '') this.startCall(slot);
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
    this.chars += text.length;
    if (this.chars > this.options.max_chars)
      throw tooLarge(`more than ${this.options.max_chars} characters`);
    return text;
  }

  private finishReason(hasCalls: boolean): FinishReason {
    const reason = this.reason ?? 'stop';
    if (reason === 'error') throw new StreamedError('the turn ended with finish_reason "error"');
    const known = finishReason(REASONS, reason, hasCalls);
    if (known) return known;
    this.traces.add('unknown_finish_reason', reason);
    return hasCalls ? 'tool_calls' : 'stop';
  }

  private message(tool_calls: readonly ToolCall[]): AssistantMessage {
    if (tool_calls.length === 0) return { role: 'assistant', content: this.text.text };
    return { role: 'assistant', content: this.text.text || null, tool_calls };
  }
}

/** Some servers send the arguments as an object instead of a string. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

function usageOf({ prompt_tokens, completion_tokens }: NonNullable<ChatChunk['usage']>): Usage {
  return { input_tokens: tokens(prompt_tokens), output_tokens: tokens(completion_tokens) };
}

/**
 * The text of `content`: a string, or a list of parts. Parts of type `thinking` nest their parts
 * one level deeper.
 */
function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  return partsOf(content)
    .map((part) => asText(part.text))
    .join('');
}

/** The thinking in a list of parts. */
function thinkingOfContent(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return partsOf(content)
    .map((part) => (part.type === 'thinking' ? textOfContent(part.thinking) : ''))
    .join('');
}

function partsOf(content: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
