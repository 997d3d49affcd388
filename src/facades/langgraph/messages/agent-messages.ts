import type { StreamEvent } from '../../../event-log/follow/stream-event.js';
import { OutputBudget } from '../../base/output-budget.js';
import { toAiMessage } from './message.js';
import type { CalledTool, LcMessage, ToolMessage } from './message.js';

type EventOf<T extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: T }>;
type Text = EventOf<'THINKING'> | EventOf<'MESSAGE'> | EventOf<'ANSWER'>;
type Kind = 'thinking' | 'text';

/** An answer of the model that may go on. */
interface OpenAnswer {
  readonly id: string;
  text: string;
  thinking: string;
  readonly calls: CalledTool[];
  /** True for the last answer, and once a result has come: further calls are of another one. */
  isClosed: boolean;
}

/** An answer as it was when it was shown last. */
interface View extends Pick<OpenAnswer, 'text' | 'thinking'> {
  /** Their number. */
  readonly calls: number;
  readonly message: LcMessage;
}

/** A text that a record may complete. */
interface OpenBlock {
  readonly answer: OpenAnswer;
  readonly kind: Kind;
  text: string;
}

/** A change that an event makes. `message_id`: of the answer. */
export type MessageChange =
  | {
      readonly kind: Kind;
      readonly message_id: string;
      readonly block_id: string;
      /** Where `delta` begins in the block, in UTF-16 code units. */
      readonly from: number;
      readonly delta: string;
    }
  | {
      readonly kind: 'call';
      readonly message_id: string;
      /** Its place among the calls of the answer. */
      readonly index: number;
      readonly call: CalledTool;
    }
  | { readonly kind: 'result'; readonly message: ToolMessage };

/**
 * The messages that an agent adds in an interaction: a fold over its events. An answer of its model
 * has thoughts, then a text, then calls; what comes out of this order begins the next answer. So
 * records alone give the same answers as the stream does, and their ids are of their first block.
 */
export class AgentMessages {
  private readonly all: (OpenAnswer | ToolMessage)[] = [];
  private readonly blocks = new Map<string, OpenBlock>();
  private readonly names = new Map<string, string>();
  /** The blocks of texts that are complete, which a later answer may replace. */
  private readonly said = new Map<string, OpenAnswer>();
  private readonly outputs = new OutputBudget();
  private readonly views = new WeakMap<OpenAnswer, View>();
  private current: OpenAnswer | undefined;

  constructor(
    private readonly interaction_id: string,
    private readonly agent_id: string,
  ) {}

  /** True if no call follows the text of the answer that came last. */
  get isAnswered(): boolean {
    return this.current?.isClosed ?? true;
  }

  take(event: StreamEvent): readonly MessageChange[] {
    if (voidsAll(event)) return this.voidBlocks([...this.blocks.keys()]);
    if (event.agent_id !== this.agent_id) return [];
    if (event.type === 'TEXT_DELTA' || event.type === 'THINKING_DELTA') {
      const kind = event.type === 'TEXT_DELTA' ? 'text' : 'thinking';
      return this.append(event.block_id, kind, event.delta);
    }
    if (event.type === 'THINKING' || event.type === 'MESSAGE' || event.type === 'ANSWER')
      return this.complete(event);
    if (event.type === 'TOOL_CALL') return this.call(event);
    if (event.type === 'TOOL_RESULT') return this.result(event);
    return event.type === 'NOTICE' ? this.voidBlocks(event.void ?? []) : [];
  }

  toMessages(): LcMessage[] {
    return this.all.flatMap((each) => ('type' in each ? each : (this.view(each) ?? [])));
  }

  /** The last answer of the model; undefined: there is none. */
  lastAnswer(): LcMessage | undefined {
    const last = this.all.findLast((each) => !('type' in each) && this.view(each));
    return last && !('type' in last) ? this.view(last) : undefined;
  }

  /** The same object as long as the answer is the same; undefined: it is empty. */
  private view(answer: OpenAnswer): LcMessage | undefined {
    const { text, thinking, calls } = answer;
    if (text === '' && thinking === '' && calls.length === 0) return undefined;
    const known = this.views.get(answer);
    const isSame = known?.text === text && known.thinking === thinking;
    if (isSame && known.calls === calls.length) return known.message;
    const message = toAiMessage(answer);
    this.views.set(answer, { text, thinking, calls: calls.length, message });
    return message;
  }

  private append(block_id: string, kind: Kind, delta: string): readonly MessageChange[] {
    const block = this.blocks.get(block_id) ?? this.open(block_id, kind);
    const from = block.text.length;
    block.text += delta;
    block.answer[kind] += delta;
    return [{ kind, message_id: block.answer.id, block_id, from, delta }];
  }

  private complete(event: Text): readonly MessageChange[] {
    const { block_id, content } = event;
    const kind = event.type === 'THINKING' ? 'thinking' : 'text';
    if (event.type === 'ANSWER' && event.replaces !== undefined) this.replace(event.replaces);
    if (content === '' && !this.blocks.has(block_id)) return [];
    const shown = this.blocks.get(block_id)?.text ?? '';
    const rest = content.startsWith(shown) ? content.slice(shown.length) : '';
    const changes = this.append(block_id, kind, rest);
    const { answer } = this.blocks.get(block_id)!;
    answer[kind] = content;
    this.blocks.delete(block_id);
    if (kind === 'text') this.said.set(block_id, answer);
    if (event.type === 'ANSWER') answer.isClosed = true;
    return rest === '' ? [] : changes;
  }

  /** A call that a tool makes is none of the model. */
  private call(event: EventOf<'TOOL_CALL'>): readonly MessageChange[] {
    const { id, block_id, tool_name: name, tool_input: input } = event;
    if (event.parent_tool_call_id !== undefined) return [];
    const answer = this.answerWith(block_id, ({ isClosed }) => !isClosed);
    const call = { id, name, input };
    this.names.set(id, name);
    answer.calls.push(call);
    return [{ kind: 'call', message_id: answer.id, index: answer.calls.length - 1, call }];
  }

  private result({ id, tool_output, is_error }: EventOf<'TOOL_RESULT'>): readonly MessageChange[] {
    const name = this.names.get(id);
    if (name === undefined) return [];
    if (this.current) this.current.isClosed = true;
    const message: ToolMessage = {
      ...{ type: 'tool', id: `${this.interaction_id}.${id}`, tool_call_id: id, name },
      ...{ content: this.outputs.take(tool_output), status: is_error ? 'error' : 'success' },
    };
    this.all.push(message);
    return [{ kind: 'result', message }];
  }

  private open(block_id: string, kind: Kind): OpenBlock {
    const takesMore = (answer: OpenAnswer): boolean =>
      answer.text === '' &&
      answer.calls.length === 0 &&
      (kind === 'text' || answer.thinking === '');
    const block = { answer: this.answerWith(block_id, takesMore), kind, text: '' };
    this.blocks.set(block_id, block);
    return block;
  }

  /** The answer that goes on, or a new one. */
  private answerWith(block_id: string, takesMore: (answer: OpenAnswer) => boolean): OpenAnswer {
    if (this.current && takesMore(this.current)) return this.current;
    const id = `${this.interaction_id}.${block_id}`;
    this.current = { id, text: '', thinking: '', calls: [], isClosed: false };
    this.all.push(this.current);
    return this.current;
  }

  /** Texts that will never be complete. */
  private voidBlocks(ids: readonly string[]): readonly [] {
    for (const id of ids) {
      const block = this.blocks.get(id);
      if (!block) continue;
      block.answer[block.kind] = '';
      this.blocks.delete(id);
      if (this.current === block.answer) this.current = undefined;
    }
    return [];
  }

  private replace(block_id: string): void {
    const answer = this.said.get(block_id);
    if (answer) answer.text = '';
  }
}

/** True for events after which no text that is open will be complete. */
export function voidsAll({ type }: StreamEvent): boolean {
  return type === 'RESUMED' || type === 'INTERACTION_COMPLETE';
}
