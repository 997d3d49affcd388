import type { AgUiEvent, AgUiMessage, AgUiToolCall, Attributed } from '../ag-ui-event.js';

/** Characters of the contents that are kept; a list with more is given up. */
const MAX_LENGTH = 512 * 1024;

type ToolCallStart = Extract<AgUiEvent, { readonly type: 'TOOL_CALL_START' }>;

interface Entry extends Attributed {
  readonly id: string;
  readonly role: 'assistant' | 'reasoning';
  content: string;
  isText: boolean;
  readonly calls: AgUiToolCall[];
  /** Messages with the results of the calls. */
  readonly results: unknown[];
}

/**
 * The messages that clients have made of events, as their reducers do: so that a snapshot of them
 * replaces what can't be taken back otherwise.
 */
export class MessageList {
  private readonly entries = new Map<string, Entry>();
  /** By the ids of their calls. */
  private readonly owners = new Map<string, Entry>();
  private length = 0;

  /** @param resultOf the message of the client that has the result of a call, if it ran it */
  constructor(private readonly resultOf: (call: ToolCallStart) => unknown) {}

  /** True if there is too much to keep. */
  get isFull(): boolean {
    return this.length > MAX_LENGTH;
  }

  hasCall(id: string): boolean {
    return this.owners.has(id);
  }

  take(event: AgUiEvent): void {
    switch (event.type) {
      case 'TEXT_MESSAGE_START':
        this.begin(event.messageId, 'assistant', event).isText = true;
        return;
      case 'REASONING_MESSAGE_START':
        this.begin(event.messageId, 'reasoning', event);
        return;
      case 'TEXT_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_CONTENT':
        return this.append(event.messageId, event.delta);
      case 'TOOL_CALL_START':
        return this.call(event);
      case 'TOOL_CALL_ARGS':
        return this.setArguments(event.toolCallId, event.delta);
      case 'TOOL_CALL_RESULT': {
        const { messageId: id, toolCallId, content, role, subagentRunId, metadata } = event;
        const tag = { ...(subagentRunId && { subagentRunId }), ...(metadata && { metadata }) };
        const message: AgUiMessage = { id, role, toolCallId, content, ...tag };
        this.grow(content.length);
        this.owners.get(toolCallId)?.results.push(message);
        return;
      }
      default: // adds no message
    }
  }

  remove(id: string): void {
    this.entries.delete(id);
  }

  /** The whole of them, as JSON text. */
  setArguments(callId: string, text: string): void {
    const { calls } = this.owners.get(callId) ?? {};
    const at = calls?.findIndex(({ id }) => id === callId) ?? -1;
    if (!calls || at < 0) return;
    const call = calls[at]!;
    calls[at] = { ...call, function: { ...call.function, arguments: text } };
    this.grow(text.length);
  }

  /** In the order of clients: results stand after the message with their calls. */
  list(): readonly unknown[] {
    return [...this.entries.values()].flatMap((entry) => [toMessage(entry), ...entry.results]);
  }

  private begin(id: string, role: Entry['role'], { subagentRunId }: Attributed): Entry {
    const known = this.entries.get(id);
    if (known) return known;
    const tag = subagentRunId !== undefined && { subagentRunId };
    const entry = { id, role, content: '', isText: false, calls: [], results: [], ...tag };
    this.entries.set(id, entry);
    this.grow(id.length);
    return entry;
  }

  private append(id: string, delta: string): void {
    const entry = this.entries.get(id);
    this.grow(delta.length);
    if (entry && !this.isFull) entry.content += delta;
  }

  private call(event: ToolCallStart): void {
    const { toolCallId: id, toolCallName: name, parentMessageId = id } = event;
    const owner = this.begin(parentMessageId, 'assistant', event);
    owner.calls.push({ id, type: 'function', function: { name, arguments: '' } });
    this.owners.set(id, owner);
    const result = this.resultOf(event);
    if (result !== undefined) owner.results.push(result);
  }

  private grow(length: number): void {
    this.length += length;
    if (this.isFull) this.entries.clear();
  }
}

function toMessage({ id, role, content, isText, calls, subagentRunId }: Entry): AgUiMessage {
  const tag = subagentRunId !== undefined && { subagentRunId };
  if (role === 'reasoning') return { id, role, content, ...tag };
  return {
    ...{ id, role },
    ...(isText && { content }),
    ...(calls.length > 0 && { toolCalls: [...calls] }),
    ...tag,
  };
}
