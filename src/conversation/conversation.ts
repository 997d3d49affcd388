import type { Hidden, ReadFile, RecordBody, RecordOf } from '../protocol/events.js';
import { judgementOf, readInstead } from '../guardrails/input-judgement.js';
import type { InputJudgement } from '../guardrails/input-judgement.js';
import { freezeMessage, renderTurn, toolMessage } from './turn-entry.js';
import type { TurnEntry } from './turn-entry.js';
import { noteText, toldText } from './intervention-text.js';
import { Questions } from './questions.js';
import { OF_MESSAGE, ShownImages } from './shown-images.js';
import type { AssistantMessage, Message, UserMessage, Image } from '../protocol/message.js';

/** A record, or an entry that becomes one. */
interface Applicable {
  readonly body: RecordBody;
  readonly hidden?: Hidden | null;
  readonly key?: string | null;
}

/**
 * An agent's conversation: a fold over the records of its log. It is always valid for a provider
 * (I8): each call has its result, directly after its assistant message, in the order of the calls.
 */
export class Conversation {
  private readonly entries: (Message | TurnEntry)[] = [];
  private readonly turnOfCall = new Map<string, TurnEntry>();
  /** Texts of interventions, by the key of the turn that takes them in; they are added with it. */
  private readonly told = new Map<string | null, string[]>();
  private readonly images = new ShownImages();
  /** Model turns in this conversation, without those before it. */
  turns = 0;
  private cached: readonly Message[] | undefined;
  /** The text of the turn whose end comes next. */
  private block: string | undefined;
  /** The last answer of a turn; `entry`: if it is in this conversation. */
  private answer: { block_id: string; entry?: Message | TurnEntry | undefined } | undefined;
  /** True once the user has said something after it. */
  private isAnswered = false;
  /** The last text that the agent's code said. */
  private said: AssistantMessage | undefined;
  /** Called with each message that is added from now on; `isOutcome`: of a step of the agent. */
  onJoin: (message: Message, isOutcome: boolean) => void = () => {};

  constructor(
    readonly before: readonly Message[],
    private readonly questions = new Questions(),
  ) {}

  add(message: Message, isOutcome = message.role !== 'user'): void {
    if (message.role === 'user') this.isAnswered = true;
    this.entries.push(message);
    this.cached = undefined;
    this.onJoin(freezeMessage(message), isOutcome);
  }

  apply({ body, hidden = null, key = null }: Applicable): void {
    switch (body.type) {
      case 'INTERACTION_STARTED':
        return this.add({ role: 'user', content: body.user_message });
      case 'TURN_COMPLETED': {
        const turn = hidden && 'in_conversation' in hidden ? hidden : null;
        this.addTold(key);
        const entry = turn?.in_conversation ? this.addTurn(turn.message) : undefined;
        if (this.block !== undefined && turn && !turn.message.tool_calls) {
          this.answer = { block_id: this.block, entry };
          this.isAnswered = false;
        }
        this.block = undefined;
        return undefined;
      }
      case 'NOTICE': {
        if (!hidden || !('note' in hidden)) return undefined;
        return this.add({ role: 'user', content: hidden.note });
      }
      case 'TOOL_RESULT': {
        const images = hidden && 'images' in hidden ? hidden.images : [];
        return this.addResult(body.id, body.tool_output, images);
      }
      case 'MESSAGE':
        if (isStandalone(hidden)) return this.addSaid(body.content);
        if (key === null) this.block = body.block_id;
        return undefined;
      case 'INPUT_REQUIRED':
        if (isStandalone(hidden)) this.questions.ask(body);
        return undefined;
      case 'INPUT_RECEIVED':
        return this.addAnswered(body, judgementOf(hidden));
      case 'ANSWER':
        if (isStandalone(hidden)) return this.addReturned(body);
        this.block = body.block_id;
        return undefined;
      case 'AGENT_INTERVENED':
        return this.tell(key, toldText({ body, hidden }));
      case 'NOTE_READ':
        return this.tell(key, noteText(body));
      case 'STEP_COMPLETED':
        if (hidden && 'files' in hidden) return this.addFiles(hidden.files);
        return this.replaceMessage(readInstead(judgementOf(hidden)));
      case 'AGENT_STARTED':
        return this.add({ role: 'user', content: body.prompt });
      case 'AGENT_COMPLETED':
        this.addAllTold();
        if (body.status !== 'completed' || body.result === this.lastText()) return undefined;
        return this.replaceAnswer(body.replaces, body.result);
      case 'APPROVED':
        return body.modified_input && this.replaceArguments(body.tool_call_id, body.modified_input);
      case 'APPROVAL_REQUIRED':
      case 'REJECTED':
      case 'TOOL_RESULT_REQUIRED':
      case 'THINKING':
      case 'TOOL_CALL':
      case 'TOOL_STARTED':
      case 'TASK_UPDATED':
      case 'CUSTOM':
      case 'METADATA_SET':
      case 'AGENT_TOLD':
      case 'RESUMED':
      case 'CANCELLED':
      case 'ERROR':
        return undefined;
      case 'INTERACTION_COMPLETE':
        return this.addAllTold();
    }
  }

  /** The messages before, and those that this agent added. */
  get messages(): readonly Message[] {
    this.cached ??= Object.freeze([...this.before, ...this.added()].map(freezeMessage));
    return this.cached;
  }

  /**
   * The messages of the next request to a model, including the newest images of its tools, which
   * only the journal keeps.
   */
  get shown(): readonly Message[] {
    return this.images.addTo(this.messages, this.before.length);
  }

  /** The user's message with the text of its files. */
  get asked(): string {
    return this.entries.find(isOfUser)?.content ?? '';
  }

  /** The `messages` without results for calls that have none yet. */
  get soFar(): readonly Message[] {
    const rendered = this.entries.flatMap((entry) =>
      'assistant' in entry ? renderTurn(entry, () => []) : [entry],
    );
    return [...this.before, ...rendered];
  }

  /** The messages that the agent has added, including those of these last records. */
  addedWith(ending: readonly Applicable[]): Message[] {
    const ended = new Conversation(this.before, this.questions.copy());
    for (const entry of this.entries) {
      const copy = ended.copied(entry);
      ended.entries.push(copy);
      if (entry === this.answer?.entry) ended.answer = { ...this.answer, entry: copy };
    }
    ended.isAnswered = this.isAnswered;
    for (const [key, texts] of this.told) ended.told.set(key, texts);
    ended.said = this.said;
    for (const each of ending) ended.apply(each);
    return ended.added();
  }

  /** The last text of the agent without a tool call or question; empty if there is none. */
  lastText(): string {
    const last = this.messages.findLast(
      (message) =>
        message.role === 'assistant' && !message.tool_calls && !this.questions.has(message),
    );
    return last?.content ?? '';
  }

  added(): Message[] {
    return this.entries.flatMap((entry) => ('assistant' in entry ? renderTurn(entry) : [entry]));
  }

  private copied(entry: Message | TurnEntry): Message | TurnEntry {
    if (!('assistant' in entry)) return entry;
    const turn = { assistant: entry.assistant, results: new Map(entry.results) };
    for (const { id } of turn.assistant.tool_calls ?? []) this.turnOfCall.set(id, turn);
    return turn;
  }

  private tell(key: string | null, text: string | undefined): void {
    if (text !== undefined) this.told.set(key, [...(this.told.get(key) ?? []), text]);
  }

  private addTold(key: string | null): void {
    for (const content of this.told.get(key) ?? []) this.add({ role: 'user', content });
    this.told.delete(key);
  }

  /** The turns that took these in will not be completed. */
  private addAllTold(): void {
    for (const key of this.told.keys()) this.addTold(key);
  }

  /** The block of the agent's last answer, unless the user has said something since. */
  get answerBlock(): string | undefined {
    return this.isAnswered ? undefined : this.answer?.block_id;
  }

  private addTurn(assistant: AssistantMessage): TurnEntry {
    this.turns++;
    const turn = { assistant, results: new Map<string, string>() };
    this.entries.push(turn);
    for (const call of assistant.tool_calls ?? []) this.turnOfCall.set(call.id, turn);
    this.cached = undefined;
    this.onJoin(freezeMessage(assistant), true);
    return turn;
  }

  private addSaid(content: string): void {
    if (content === '') return;
    this.said = { role: 'assistant', content };
    this.add(this.said);
  }

  /** The return value of the agent, or the shown part of an answer; nothing it has just said. */
  private addReturned({ content, replaces }: RecordOf<'ANSWER'>): void {
    this.addAllTold();
    const isSaid = this.entries.at(-1) === this.said && this.said?.content === content;
    if (!isSaid) this.replaceAnswer(replaces, content);
  }

  /**
   * Adds a text of the agent, in place of the answer of this block: readers see that it is gone,
   * also where a note to the agent was written between the two. Nothing of a spoken answer may have
   * been heard.
   */
  private replaceAnswer(block: string | undefined, content: string): void {
    const at = this.entries.findIndex((entry) => entry === this.answer?.entry);
    const isThere = block !== undefined && block === this.answer?.block_id && at >= 0;
    if (isThere) this.entries.splice(at, 1);
    this.cached = undefined;
    if (content !== '' || !isThere) this.add({ role: 'assistant', content });
  }

  private addAnswered(
    body: RecordOf<'INPUT_RECEIVED'>,
    judgement: InputJudgement | undefined,
  ): void {
    for (const each of this.questions.answer(body, judgement) ?? []) this.add(each, true);
  }

  /** The model reads the user's message after the guardrails. */
  private replaceMessage(content: string | undefined): void {
    const at = this.entries.findIndex(isOfUser);
    if (content === undefined || at < 0) return;
    this.entries[at] = { role: 'user', content };
    this.cached = undefined;
  }

  private addFiles(files: readonly ReadFile[]): void {
    const texts = [this.asked, ...files.map(({ text }) => text)];
    this.replaceMessage(texts.filter((text) => text.trim() !== '').join('\n\n'));
    this.images.add(
      OF_MESSAGE,
      files.flatMap(({ image }) => image ?? []),
    );
  }

  /** The model sees the arguments that really ran. */
  private replaceArguments(callId: string, input: object): void {
    const turn = this.turnOfCall.get(callId);
    if (!turn) return;
    const text = JSON.stringify(input);
    const tool_calls = turn.assistant.tool_calls?.map((call) =>
      call.id === callId ? { ...call, function: { ...call.function, arguments: text } } : call,
    );
    turn.assistant = { ...turn.assistant, ...(tool_calls && { tool_calls }) };
    this.cached = undefined;
  }

  private addResult(callId: string, output: string, images: readonly Image[] = []): void {
    const turn = this.turnOfCall.get(callId);
    if (!turn) return;
    turn.results.set(callId, output);
    this.images.add(callId, images);
    this.cached = undefined;
    this.onJoin(freezeMessage(toolMessage(callId, output)), true);
  }
}

function isOfUser(entry: Message | TurnEntry): entry is UserMessage {
  return 'role' in entry && entry.role === 'user';
}

/** True if the agent's own code wrote it, and not a model turn or a tool. */
function isStandalone(hidden: Hidden | null): boolean {
  return hidden !== null && 'standalone' in hidden;
}
