import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { ModelEvent } from '../model-provider.js';
import { finishReason } from '../answer/finish-reason.js';
import { placeIn } from '../answer/turn-fold.js';
import { exactJson } from '../../kernel/json/exact-json.js';
import { isObject } from '../../kernel/json/json.js';
import { emptyAnswer, StreamedError, tooLarge } from '../errors/answer-errors.js';
import { GrowingText } from '../answer/growing-text.js';
import { TaggedThoughts, type Separated } from '../answer/tagged-thoughts.js';
import type { TurnFold } from '../answer/turn-fold.js';
import { TurnTraces } from '../answer/turn-traces.js';
import { CallBlock, OpaqueBlock, TextBlock, ThinkingBlock, type TurnBlock } from './turn-block.js';
import type { AssistantMessage, ToolCall } from '../../protocol/message.js';
import { keepTurn, type Author } from './kept-turn.js';
import { TokenCount } from './token-count.js';

export interface MessageTurnOptions {
  /** The requested model, and its endpoint. */
  readonly author: Author;
  readonly emit: (event: ModelEvent) => void;
  /** Redacts secrets. */
  readonly scrub: (text: string) => string;
  /** Maximum number of characters of text, thinking and arguments together. */
  readonly max_chars: number;
  /** True if the model may say nothing, as after results of tools. */
  readonly may_be_empty?: boolean;
}

type Json = Readonly<Record<string, unknown>>;

const MAX_CALLS = 128;
const MAX_BLOCKS = 1_000;
const PAUSED = 'pause_turn';

/** Folds the events of a message, or of several messages of a paused turn, into model events. */
export class MessageTurn implements TurnFold {
  readonly refused_json = 'JSON that is not a message';
  readonly traces: TurnTraces;
  /** The first event that was none of a message. */
  stray: unknown;
  over = false;
  private readonly emit: (event: ModelEvent) => void;
  private readonly blocks: TurnBlock[] = [];
  /** The blocks of the current message, by the server's index. */
  private current = new Map<number | undefined, TurnBlock>();
  /** The first block as it came, with the thoughts that stand in tags before the answer. */
  private readonly first = new GrowingText();
  private readonly tagged = new TaggedThoughts();
  private readonly usage = new TokenCount();
  private reason: string | undefined;
  private explanation = '';
  private chars = 0;

  constructor(private readonly options: MessageTurnOptions) {
    this.emit = options.emit;
    this.traces = new TurnTraces(options.emit, options.scrub);
  }

  get finished(): boolean {
    return this.reason !== undefined;
  }

  /** True if nothing of a turn was received. */
  get isEmpty(): boolean {
    return this.blocks.length === 0;
  }

  /** True if the model paused the turn and expects another request. */
  get paused(): boolean {
    return this.reason === PAUSED;
  }

  /** The content received so far, in the form that is sent back to continue the turn. */
  content(): ContentBlockParam[] {
    return this.blocks.map((block) => block.param());
  }

  /** Starts another message that continues the content received so far. */
  goOn(): void {
    this.reason = undefined;
    this.over = false;
    this.current = new Map();
    this.usage.next();
  }

  /**
   * @throws StreamedError when the server reports an error
   * @throws ModelError when the turn gets too large
   */
  accept(event: unknown): void {
    if (!isObject(event)) return this.addStray(event);
    switch (event.type) {
      case 'message_start':
        return isObject(event.message) ? this.usage.add(event.message.usage) : undefined;
      case 'content_block_start':
        return isObject(event.content_block)
          ? this.start(placeIn(event.index), event.content_block)
          : this.traces.add('unknown_event', event);
      case 'content_block_delta':
        return isObject(event.delta)
          ? this.grow(placeIn(event.index), event.delta)
          : this.traces.add('unknown_event', event);
      case 'content_block_stop':
        return this.end(this.current.get(placeIn(event.index)));
      case 'message_delta':
        return this.acceptEnd(event);
      case 'message_stop':
        this.usage.add(event.usage);
        this.over = this.finished;
        return undefined;
      case 'ping':
        return undefined;
      case 'error':
        throw new StreamedError(event.error ?? event);
      default:
        if (isObject(event.error)) throw new StreamedError(event.error);
        return this.addStray(event);
    }
  }

  private addStray(event: unknown): void {
    this.stray ??= event;
    this.traces.add('unknown_event', event);
  }

  acceptWhole(json: Json): boolean {
    if (json.type === 'error') throw new StreamedError(json.error ?? json);
    const { content, stop_reason, stop_details, usage } = json;
    if (json.type !== 'message' || !Array.isArray(content)) return false;
    content.forEach((block: unknown, index) => isObject(block) && this.start(index, block));
    this.acceptEnd({ delta: { stop_reason: stop_reason ?? 'end_turn', stop_details }, usage });
    return true;
  }

  complete(): void {
    for (const block of this.current.values()) this.end(block);
  }

  /**
   * Emits the last events of the turn.
   * @throws StreamedError if it ends because the server has failed
   * @throws ModelError if it has nothing but thoughts, though something has to be said
   */
  finish(): void {
    if (this.explanation !== '' && this.blocks.every(({ kind }) => kind !== 'text'))
      this.addText(this.open(undefined, new TextBlock()), this.explanation);
    const message = messageOf(this.blocks, this.options.author);
    const { tool_calls = [], content } = message;
    const inputs = tool_calls.map((call) => call.function.arguments);
    const finish_reason = finishReason(this.reason ?? 'stop', inputs, this.traces);
    const isEmpty = finish_reason === 'stop' && !content?.trim();
    if (isEmpty && (!this.options.may_be_empty || this.tagged.isOpen)) throw emptyAnswer();
    this.emit({ type: 'response_completed', message, finish_reason, usage: this.usage.total });
  }

  private acceptEnd({ delta, usage }: Json): void {
    this.usage.add(usage);
    if (!isObject(delta)) return;
    if (typeof delta.stop_reason === 'string' && delta.stop_reason !== '')
      this.reason = delta.stop_reason;
    const { stop_details } = delta;
    if (isObject(stop_details) && typeof stop_details.explanation === 'string')
      this.explanation = stop_details.explanation;
  }

  private start(index: number | undefined, block: Json): void {
    switch (block.type) {
      case 'text':
        return this.addText(this.open(index, new TextBlock()), block.text);
      case 'thinking':
        return this.addThinking(this.open(index, new ThinkingBlock()), block);
      case 'tool_use':
        return this.startCall(index, block);
      default:
        this.counted(exactJson(block));
        this.open(index, new OpaqueBlock(block));
        if (block.type !== 'redacted_thinking') this.traces.add('unknown_block', block);
    }
  }

  private startCall(index: number | undefined, { id, name, input }: Json): void {
    const calls = this.blocks.filter((block) => block.kind === 'call');
    // The vendor has one call of an id: a gateway has it once more, and its input, too.
    if (isText(id) && calls.some((call) => call.id === id && call.ended))
      return void this.current.set(index, new OpaqueBlock({}));
    const place = calls.length;
    if (place >= MAX_CALLS) throw tooLarge(`more than ${MAX_CALLS} tool calls`);
    const call = new CallBlock(place, this.counted(id), this.counted(name), input);
    this.open(index, call);
    this.emit({ type: 'tool_call_started', index: place, id: call.id, name: call.name });
  }

  private open<T extends TurnBlock>(index: number | undefined, block: T): T {
    if (this.blocks.length >= MAX_BLOCKS) throw tooLarge(`more than ${MAX_BLOCKS} blocks`);
    this.blocks.push(block);
    this.current.set(index, block);
    return block;
  }

  private grow(index: number | undefined, delta: Json): void {
    const block = this.current.get(index);
    switch (delta.type) {
      case 'text_delta':
        return this.addText(block ?? this.open(index, new TextBlock()), delta.text);
      case 'thinking_delta':
      case 'signature_delta':
        return this.addThinking(block ?? this.open(index, new ThinkingBlock()), delta);
      case 'input_json_delta':
        return this.addInput(block, delta.partial_json);
      case 'citations_delta':
        return undefined;
      default:
        return this.traces.add('unknown_delta', delta);
    }
  }

  private addText(block: TurnBlock, delta: unknown): void {
    if (block.kind !== 'text') return;
    const text = this.counted(delta);
    if (block === this.blocks[0])
      this.addSeparated(block, this.tagged.push(this.first.append(text)));
    else this.tell('text_delta', block.text.append(text));
  }

  private addSeparated(block: TextBlock, { thinking, text }: Separated): void {
    this.tell('thinking_delta', thinking);
    this.tell('text_delta', block.text.append(text));
  }

  private addThinking(block: TurnBlock, { thinking, signature }: Json): void {
    if (block.kind !== 'thinking') return;
    this.tell('thinking_delta', block.text.append(this.counted(thinking)));
    block.signature += this.counted(signature);
  }

  private addInput(block: TurnBlock | undefined, delta: unknown): void {
    if (block?.kind === 'call') this.tellInput(block, block.json.append(this.counted(delta)));
    else if (block?.kind === 'opaque') block.json += this.counted(delta);
    else this.traces.add('input_without_call', delta);
  }

  /** Idempotent. */
  private end(block: TurnBlock | undefined): void {
    if (block?.kind === 'text') this.endText(block);
    else if (block?.kind === 'thinking') this.tell('thinking_delta', block.text.end());
    else if (block?.kind === 'call' && !block.ended) this.endCall(block);
  }

  private endText(block: TextBlock): void {
    if (block === this.blocks[0]) {
      this.addSeparated(block, this.tagged.push(this.first.end()));
      this.addSeparated(block, this.tagged.end());
    }
    this.tell('text_delta', block.text.end());
  }

  private endCall(call: CallBlock): void {
    call.ended = true;
    this.tellInput(call, call.json.end());
    if (call.json.text.trim() === '')
      this.tellInput(call, call.json.append(this.counted(wholeInput(call.input))));
    const { index, id, name } = call;
    this.emit({ type: 'tool_call_ready', index, id, name, arguments: call.json.text });
  }

  private tell(type: 'text_delta' | 'thinking_delta', delta: string): void {
    if (delta !== '') this.emit({ type, delta });
  }

  private tellInput({ index }: CallBlock, delta: string): void {
    if (delta !== '') this.emit({ type: 'tool_call_args_delta', index, delta });
  }

  /**
   * The text, or an empty one if the value is not a string. Counts towards the size limit of the
   * turn.
   */
  private counted(text: unknown): string {
    if (typeof text !== 'string') return '';
    this.chars += text.length;
    if (this.chars > this.options.max_chars)
      throw tooLarge(`more than ${this.options.max_chars} characters`);
    return text;
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function wholeInput(input: unknown): string {
  if (typeof input === 'string' && input.trim() !== '') return input;
  return isObject(input) ? exactJson(input) : '{}';
}

/** Converts a turn to a message of the conversation. */
function messageOf(blocks: readonly TurnBlock[], author: Author): AssistantMessage {
  const text = blocks.map((block) => (block.kind === 'text' ? block.text.text : '')).join('');
  const tool_calls = blocks.flatMap((block) => (block.kind === 'call' ? [toolCall(block)] : []));
  const provider_data = keepTurn(blocks, author);
  return {
    role: 'assistant',
    content: tool_calls.length > 0 ? text || null : text,
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(provider_data && { provider_data }),
  };
}

function toolCall({ id, name, json }: CallBlock): ToolCall {
  return { id, type: 'function', function: { name, arguments: json.text } };
}
