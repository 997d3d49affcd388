import type { Usage } from '../../../protocol/interaction.js';
import type { MessageChange } from '../messages/agent-messages.js';
import { readArguments } from '../messages/message.js';
import type { CalledTool } from '../messages/message.js';

/** An event before it is placed in a thread; `key` tells it apart in its interaction. */
export interface Made {
  readonly key: string;
  readonly method: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface OpenBlock {
  readonly id: string;
  readonly kind: 'text' | 'thinking';
  readonly index: number;
  text: string;
}

interface OpenMessage {
  readonly id: string;
  count: number;
  block: OpenBlock | undefined;
  hasCalls: boolean;
  usage: Usage | undefined;
}

/**
 * The answers of one agent as messages with blocks, one after the other. The first part of a text
 * sets it, later ones add to it: so a reader that comes back with a part has the whole.
 */
export class MessageEvents {
  private message: OpenMessage | undefined;
  private readonly begun = new Set<string>();

  take(change: MessageChange, cursor: string): Made[] {
    if (change.kind === 'result') return this.finish();
    const begun = this.begin(change.message_id);
    if (change.kind === 'call') return [...begun, ...this.closeBlock(), ...this.call(change.call)];
    const { block_id, kind, from, delta } = change;
    const opened = this.open(block_id, kind);
    const { block } = this.message!;
    if (block?.id !== block_id) return begun; // a text that was closed by the next one
    block.text += delta;
    const field = kind === 'text' ? 'text' : 'reasoning';
    const whole = { type: 'block-delta', fields: { ...contentOf(block), [field]: delta } };
    const part = { type: `${field}-delta`, [field]: delta };
    const data = {
      event: 'content-block-delta',
      index: block.index,
      delta: from === 0 ? whole : part,
    };
    return [...begun, ...opened, messages(`${cursor}#${block_id}`, data)];
  }

  /** A turn has ended, and with it the message, unless calls may follow its text. */
  endTurn(usage: Usage, isAnswer: boolean): Made[] {
    if (!this.message) return [];
    this.message.usage = usage;
    return isAnswer || this.message.hasCalls ? this.finish() : [];
  }

  /** Ends the message that is open. */
  finish(): Made[] {
    if (!this.message) return [];
    const closed = this.closeBlock();
    const { id, usage } = this.message;
    this.message = undefined;
    const counts = usage && {
      ...{ input_tokens: usage.input_tokens, output_tokens: usage.output_tokens },
      total_tokens: usage.input_tokens + usage.output_tokens,
    };
    const data = { event: 'message-finish', ...(counts && { usage: counts }) };
    return [...closed, messages(`${id}#finish`, data)];
  }

  /** Drops what is open: it will never be complete. */
  drop(): void {
    this.message = undefined;
  }

  private begin(id: string): Made[] {
    if (this.message?.id === id) return [];
    const finished = this.finish();
    this.message = { id, count: 0, block: undefined, hasCalls: false, usage: undefined };
    const data = { event: 'message-start', role: 'ai', id };
    return [...finished, messages(`${id}#start`, data)];
  }

  private open(id: string, kind: OpenBlock['kind']): Made[] {
    if (this.begun.has(id)) return [];
    this.begun.add(id);
    const closed = this.closeBlock();
    const message = this.message!;
    const block: OpenBlock = { id, kind, index: message.count++, text: '' };
    message.block = block;
    const data = { event: 'content-block-start', index: block.index, content: contentOf(block) };
    return [...closed, messages(`${message.id}#${block.index}start`, data)];
  }

  private closeBlock(): Made[] {
    const { block, id } = this.message!;
    if (!block) return [];
    this.message!.block = undefined;
    const data = { event: 'content-block-finish', index: block.index, content: contentOf(block) };
    return [messages(`${id}#${block.index}finish`, data)];
  }

  private call({ id, name, input }: CalledTool): Made[] {
    const message = this.message!;
    message.hasCalls = true;
    const index = message.count++;
    const args = readArguments(input);
    const chunk = { type: 'tool_call_chunk', id, name, args: '' };
    const content = args
      ? { type: 'tool_call', id, name, args }
      : { type: 'invalid_tool_call', id, name, args: input, error: 'No JSON object.' };
    return [
      messages(`${message.id}#${index}start`, {
        event: 'content-block-start',
        index,
        content: chunk,
      }),
      messages(`${message.id}#${index}finish`, { event: 'content-block-finish', index, content }),
    ];
  }
}

function contentOf({ kind, text }: Pick<OpenBlock, 'kind' | 'text'>) {
  return kind === 'text' ? { type: 'text', text } : { type: 'reasoning', reasoning: text };
}

function messages(key: string, data: Made['data']): Made {
  return { key, method: 'messages', data };
}
