import type { Entry } from '../../event-log/append/run-log.js';
import { ModelError } from '../../models/model-error.js';
import type { ModelEvent } from '../../models/model-provider.js';
import type { AssistantMessage, ToolCall } from '../../protocol/message.js';
import type { GuardedBlock } from './guarded-block.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { TurnGuard } from './turn-guard.js';
import type { BlockType } from './turn-guard.js';
import { usableToolName } from './usable-tool-name.js';

/** The first half of a surrogate pair at the end: its second half had not come, so nobody has seen it. */
const HALF_PAIR = /[\ud800-\udbff]$/;

interface StreamedCall {
  readonly id: string;
  readonly name: string;
  readonly block: GuardedBlock;
}

type Completed = Extract<ModelEvent, { type: 'response_completed' }>;

export interface TurnStreamOptions {
  /** `<provider>/<name>` of the model that is asked. */
  readonly model: string;
  readonly agent_id: string;
  readonly agent_type: string;
  /** False: readers see the calls that it makes, and nothing else. */
  readonly visible: boolean;
  /** A turn without calls is the answer. */
  readonly answers: boolean;
}

/** One try at a model turn: turns what the provider sends into deltas, and at the end into records. */
export class TurnStream {
  private thinking: GuardedBlock | undefined;
  private text: GuardedBlock | undefined;
  private readonly guard: TurnGuard;
  private readonly calls = new Map<number, StreamedCall>();
  private completed: Completed | undefined;

  constructor(
    private readonly scope: AgentScope,
    readonly options: TurnStreamOptions,
  ) {
    this.guard = new TurnGuard(scope, options);
  }

  async read(events: AsyncIterable<ModelEvent>): Promise<Completed> {
    for await (const event of events) {
      this.scope.signal.throwIfAborted(); // a provider may be slow to notice
      this.accept(event);
    }
    if (!this.completed)
      throw new ModelError('model_cut_off', 'The model stopped in the middle of its answer.', {
        retryable: true,
      });
    for (const block of this.blocks()) block.end();
    await this.guard.check(this.text?.text ?? '');
    return this.completed;
  }

  /** The text so far, if readers have seen any of it. */
  get shownText(): { block_id: string; content: string } | undefined {
    const content = this.text?.text.replace(HALF_PAIR, '');
    if (!this.options.visible || !this.text || !content) return undefined;
    return { block_id: this.text.id, content };
  }

  /** Blocks that readers have seen something of. */
  blockIds(): string[] {
    const shown = this.blocks().filter((block) => block.isShown);
    return shown.map(({ id }) => id);
  }

  toolCalls(): ToolCall[] {
    return [...this.calls.values()].map(({ id, name, block }) => ({
      id,
      type: 'function',
      function: { name, arguments: asObject(block.text) },
    }));
  }

  message(): AssistantMessage {
    const tool_calls = this.toolCalls();
    const content = this.text?.text ?? '';
    // What the provider wants back verbatim has in it what was taken out.
    const isChanged = this.blocks().some((block) => block.isChanged);
    const provider_data = isChanged ? undefined : this.completed?.message.provider_data;
    return {
      role: 'assistant',
      content: content === '' && tool_calls.length > 0 ? null : content,
      ...(tool_calls.length > 0 && { tool_calls }),
      ...(provider_data && { provider_data }),
    };
  }

  /** What readers get of the whole turn, in order. `callKey` names the journal key of the turn's nth call. */
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
    const type = answers ? 'ANSWER' : 'MESSAGE';
    if (text) entries.push(this.entry({ type, block_id: text.id, content: text.text }));
    return entries;
  }

  private callEntries(callKey: (index: number) => string): Entry[] {
    return [...this.calls.values()].map(({ id, name: tool_name, block }, i) => {
      const call = { id, block_id: block.id, tool_name, tool_input: block.text };
      const hidden = block.isChanged ? ({ withheld: true } as const) : null;
      const { agent_id } = this.options;
      return { agent_id, key: callKey(i), body: { type: 'TOOL_CALL', ...call }, hidden };
    });
  }

  private entry(body: Entry['body']): Entry {
    return { agent_id: this.options.agent_id, key: null, body };
  }

  private accept(event: ModelEvent): void {
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
        this.completed = event;
        return undefined;
      case 'trace':
        return this.scope.log.trace(this.options.agent_id, {
          type: 'TRACE',
          name: event.name,
          detail: event.detail,
        });
    }
  }

  private call(index: number, { id, name }: { id: string; name: string }): StreamedCall {
    const known = this.calls.get(index);
    if (known) return known;
    const unique = this.scope.callIds.claim(id);
    const block = this.block('TOOL_INPUT_DELTA', unique);
    const call = { id: unique, name: usableToolName(name), block };
    this.calls.set(index, call);
    return call;
  }

  private finishCall(event: Extract<ModelEvent, { type: 'tool_call_ready' }>): void {
    const { block } = this.call(event.index, event);
    if (!block.isBegun) block.fill(event.arguments);
  }

  private block(type: BlockType, id?: string): GuardedBlock {
    return this.guard.block(type, {
      agent_id: this.options.agent_id,
      silent: !this.options.visible,
      ...(id !== undefined && { tool_call_id: id }),
    });
  }
}

/** The arguments as the conversation carries them: `{}` where the model's are no JSON object (I8). */
function asObject(input: string): string {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? input : '{}';
  } catch {
    return '{}';
  }
}
