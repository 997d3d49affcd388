import { NO_USAGE } from '../../protocol/interaction.js';
import type { Usage } from '../../protocol/interaction.js';
import type { AssistantMessage, ToolCall } from '../../protocol/message.js';
import type { ModelEvent } from '../model-provider.js';
import { finishReason } from '../answer/finish-reason.js';
import { placeIn } from '../answer/turn-fold.js';
import { isObject } from '../../kernel/json/json.js';
import { emptyAnswer, StreamedError, tooLarge } from '../errors/answer-errors.js';
import { TaggedThoughts, type Separated } from '../answer/tagged-thoughts.js';
import type { TurnFold } from '../answer/turn-fold.js';
import { TurnTraces } from '../answer/turn-traces.js';
import { areEmpty } from './call-arguments.js';
import { CallSlots, type CallSlot } from './call-slots.js';
import { textOfContent, thinkingOfContent, unreadParts } from './chat-content.js';
import { usageIn, withCounts } from './chat-usage.js';
import { isKeptField, keepFields, KeptFields, type Author } from './kept-fields.js';
import { RepeatedText } from './repeated-text.js';
import {
  callOf,
  callsIn,
  choicesIn,
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
/** Sent by some servers in place of no reason. */
const NO_REASON: ReadonlySet<unknown> = new Set(['', 'null', 'none']);

/** Folds the chunks of a chat completion, streamed or whole, into model events. */
export class ChatTurn implements TurnFold {
  readonly refused_json = 'JSON that is not a chat completion';
  /** Always false: a stream ends with `[DONE]`, which is not a chunk. */
  readonly over = false;
  readonly traces: TurnTraces;
  /** The first event that was no chunk, unless a chunk came after it. */
  stray: unknown;
  private readonly emit: (event: ModelEvent) => void;
  /** The text as it was received, with the thoughts that stand in tags before the answer. */
  private readonly text = new RepeatedText();
  private readonly tagged = new TaggedThoughts();
  private answer = '';
  private readonly thinking = new RepeatedText();
  private readonly calls = new CallSlots();
  private readonly kept = new KeptFields();
  private readonly chunkFields = new Set(CHUNK_FIELDS);
  private readonly deltaFields = new Set(DELTA_FIELDS);
  private reason: string | undefined;
  /** The index of the choice that is read. Others are other answers to the same request. */
  private choice: number | undefined;
  private hasDeltas = false;
  /** True: messages in place of deltas are parts of one, and not each the whole so far. */
  private hasParts = false;
  private usage: Usage = NO_USAGE;
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
    if (isError(chunk)) throw new StreamedError(chunk.error ?? chunk);
    const choices = choicesIn(chunk);
    this.usage = withCounts(this.usage, usageIn(chunk));
    if (!choices) return chunk.usage ? undefined : this.addStray(chunk);
    this.stray = undefined;
    this.traces.unknownFields('unknown_chunk_field', chunk, this.chunkFields);
    for (const [at, choice] of choices.entries())
      if (isObject(choice)) this.acceptOneOf(choice, at);
  }

  acceptWhole(json: Readonly<Record<string, unknown>>): boolean {
    if (!isError(json) && !choicesIn(json)) return false;
    this.accept(json);
    return true;
  }

  /**
   * Emits the last events of the turn.
   * @throws StreamedError if it ends because the server has failed
   * @throws ModelError if it has nothing but thoughts
   */
  complete(): void {
    this.emitDelta('thinking_delta', this.thinking.end());
    this.addAnswer(this.tagged.push(this.text.end()));
    this.addAnswer(this.tagged.end());
    const slots = this.calls.all.filter((slot) => this.isCall(slot));
    const inputs = slots.map((slot) => slot.arguments.text);
    const finish_reason = finishReason(this.reason ?? 'stop', inputs, this.traces);
    if (finish_reason === 'stop' && this.answer.trim() === '') throw emptyAnswer();
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
    if (!areEmpty(text) && (this.reason?.toLowerCase() !== 'stop' || this.answer.trim() === ''))
      return true;
    this.traces.add('nameless_call', text);
    return false;
  }

  /** @param at its place in the chunk */
  private acceptOneOf(choice: ChatChoice, at: number): void {
    const index = placeIn(choice.index) ?? (at > 0 ? at : (this.choice ?? 0));
    this.choice ??= index;
    if (index === this.choice) this.acceptChoice(choice);
    else this.traces.add('other_choice', choice);
  }

  private acceptChoice({ delta, message, text, finish_reason: reason }: ChatChoice): void {
    if (typeof delta === 'string') this.addText(delta);
    else if (isObject(delta)) this.acceptDelta(delta);
    if (isObject(message)) this.acceptMessage(message, NO_REASON.has(reason));
    this.addText(text);
    if (typeof reason === 'string' && !NO_REASON.has(reason)) this.reason = reason;
  }

  /**
   * A whole message, or with `goesOn` maybe a part of one. After deltas it repeats them, so only
   * what they lack is taken from it.
   */
  private acceptMessage(message: ChatDelta, goesOn: boolean): void {
    if (this.isPart(message, goesOn)) return this.acceptDelta(message);
    this.count(this.kept.complete(message, 'message'));
    this.traceFields(message);
    this.addThinking(this.unsaid(this.thinking, thoughtsOf(message)));
    this.addText(this.unsaid(this.text, sayingOf(message)));
    for (const [at, call] of callsIn(message).entries()) {
      const rest = isObject(call) ? this.calls.ofMessage(callOf(call), at) : undefined;
      if (rest) this.acceptCall({ ...(call as object), ...rest });
    }
  }

  /**
   * Servers that send messages in place of deltas send either parts, or each time the whole so far.
   * Which of the two is known from the first one that does not begin as the text before it.
   */
  private isPart(message: ChatDelta, goesOn: boolean): boolean {
    if (this.hasDeltas) return false;
    const texts = [
      [this.thinking, thoughtsOf(message)],
      [this.text, sayingOf(message)],
    ] as const;
    const isOther = texts.some(
      ([known, said]) => known.text !== '' && said !== '' && known.restIn(said) === undefined,
    );
    this.hasParts ||= isOther;
    if (!this.hasParts) return false;
    const repeatsAll = texts.every(([known, said]) => known.trimmed === said.trim());
    return goesOn || !repeatsAll;
  }

  /** The rest of a whole text after the known one. */
  private unsaid(known: RepeatedText, whole: string): string {
    const rest = known.restIn(whole);
    if (rest === undefined && whole !== '') this.traces.add('other_summary', whole);
    return rest === undefined || (known.text !== '' && rest.trim() === '') ? '' : rest;
  }

  private acceptDelta(delta: ChatDelta): void {
    const before = this.chars;
    this.count(this.kept.addMessage(delta));
    this.traceFields(delta);
    this.addThinking(delta.reasoning_content || delta.reasoning);
    this.addThinking(thinkingOfContent(delta.content));
    this.addText(textOfContent(delta.content));
    this.addText(delta.refusal);
    for (const call of callsIn(delta)) this.acceptCall(call);
    this.hasDeltas ||= !this.hasParts && this.chars > before;
  }

  private traceFields(delta: ChatDelta): void {
    for (const name in delta) if (isKeptField(name)) this.deltaFields.add(name);
    this.traces.unknownFields('unknown_delta_field', delta, this.deltaFields);
    for (const part of unreadParts(delta.content)) this.traces.add('unknown_part', part);
  }

  private addThinking(delta: unknown): void {
    if (typeof delta === 'string' && delta !== '')
      this.emitDelta('thinking_delta', this.thinking.append(this.counted(delta)));
  }

  private addText(delta: unknown): void {
    if (typeof delta === 'string' && delta !== '')
      this.addAnswer(this.tagged.push(this.text.append(this.counted(delta))));
  }

  private addAnswer({ thinking, text }: Separated): void {
    this.answer += text;
    this.emitDelta('thinking_delta', thinking);
    this.emitDelta('text_delta', text);
  }

  private acceptCall(delta: unknown): void {
    if (!isObject(delta)) return this.traces.add('unknown_tool_call', delta);
    const call = callOf(delta);
    const assigned = this.calls.of(call);
    if (!assigned) return;
    const { slot, added, repeats } = assigned;
    if (slot.index >= MAX_CALLS) throw tooLarge(`more than ${MAX_CALLS} tool calls`);
    this.count(repeats ? slot.kept.complete(delta, 'call') : slot.kept.addCall(delta));
    this.nameCall(slot, call);
    const text = slot.arguments.append(this.counted(added));
    if (slot.started) this.emitArguments(slot, text);
    else if (slot.arguments.text !== '') this.startUpTo(slot);
  }

  /** A name is whole when the arguments begin, or the next call. */
  private startUpTo({ index }: CallSlot): void {
    for (const slot of this.calls.all.slice(0, index + 1))
      if (!slot.started && slot.name.trim() !== '') this.startCall(slot);
  }

  private nameCall(slot: CallSlot, { id, function: named }: CallDelta): void {
    if (slot.id === '' && typeof id === 'string') slot.id = this.counted(id);
    if (typeof named?.name === 'string' && (slot.name === '' || slot.arguments.text === ''))
      slot.addName(this.counted(named.name));
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

  private message(tool_calls: readonly ToolCall[], slots: readonly CallSlot[]): AssistantMessage {
    const ofCalls = slots.map(({ kept }) => kept.all);
    const provider_data = keepFields(this.options.author, this.kept.all, ofCalls);
    const content = tool_calls.length > 0 ? this.answer || null : this.answer;
    return {
      ...{ role: 'assistant', content },
      ...(tool_calls.length > 0 && { tool_calls }),
      ...(provider_data && { provider_data }),
    };
  }
}

/** Some servers write an empty object for no error. */
function isError({ error, object }: ChatChunk): boolean {
  const isNone = !error || (isObject(error) && Object.keys(error).length === 0);
  return !isNone || object === 'error';
}

function thoughtsOf({ reasoning_content, reasoning, content }: ChatDelta): string {
  const thoughts = reasoning_content || reasoning || thinkingOfContent(content);
  return typeof thoughts === 'string' ? thoughts : '';
}

function sayingOf({ content, refusal }: ChatDelta): string {
  const said = textOfContent(content) || refusal;
  return typeof said === 'string' ? said : '';
}
