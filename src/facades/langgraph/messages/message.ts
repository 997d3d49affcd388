import { objectText, parseBounded } from '../../../kernel/json/bounded-json.js';
import { isObject } from '../../../kernel/json/json.js';
import type { Message } from '../../../protocol/message.js';

/** A call of a tool, as LangChain's clients read it. */
export interface LcToolCall {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface LcInvalidToolCall {
  readonly type: 'invalid_tool_call';
  readonly id: string;
  readonly name: string;
  readonly args: string;
  readonly error: string;
}

export interface AiMessage {
  readonly type: 'ai';
  readonly id: string;
  readonly content: string;
  readonly tool_calls: readonly LcToolCall[];
  readonly invalid_tool_calls: readonly LcInvalidToolCall[];
  /** `reasoning_content`: the thoughts. */
  readonly additional_kwargs: { readonly reasoning_content?: string };
}

export interface ToolMessage {
  readonly type: 'tool';
  readonly id: string;
  readonly tool_call_id: string;
  readonly name: string;
  readonly content: string;
  readonly status: 'success' | 'error';
}

interface TextMessage {
  readonly type: 'human' | 'system';
  readonly id: string;
  readonly content: string;
}

/** A message, as LangChain's clients read it. */
export type LcMessage = TextMessage | AiMessage | ToolMessage;

/** A call as the log has it. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly input: string;
}

/** The parts of an answer. */
export interface Answer {
  readonly id: string;
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly CalledTool[];
}

export function toAiMessage({ id, text, thinking, calls }: Answer): AiMessage {
  const read = calls.map((call) => ({ call, args: readArguments(call.input) }));
  return {
    ...{ type: 'ai', id, content: text },
    tool_calls: read.flatMap(({ call, args }) =>
      args ? { type: 'tool_call' as const, id: call.id, name: call.name, args } : [],
    ),
    invalid_tool_calls: read.flatMap(({ call, args }) =>
      args ? [] : { ...invalidCall(call), error: 'The arguments are not a JSON object.' },
    ),
    additional_kwargs: thinking === '' ? {} : { reasoning_content: thinking },
  };
}

function invalidCall({ id, name, input: args }: CalledTool) {
  return { type: 'invalid_tool_call' as const, id, name, args };
}

/** The messages that a chat was created with. */
export function toLcMessages(
  messages: readonly Message[],
  idOf: (at: number) => string,
): LcMessage[] {
  const names = new Map<string, string>();
  return messages.map((message, at): LcMessage => {
    const id = idOf(at);
    switch (message.role) {
      case 'system':
        return { type: 'system', id, content: message.content };
      case 'user':
        return { type: 'human', id, content: message.content };
      case 'assistant': {
        const calls = (message.tool_calls ?? []).map(({ id: call, function: called }) => {
          names.set(call, called.name);
          return { id: call, name: called.name, input: called.arguments };
        });
        return toAiMessage({ id, text: message.content ?? '', thinking: '', calls });
      }
      case 'tool': {
        const { tool_call_id, content } = message;
        const name = names.get(tool_call_id) ?? '';
        return { type: 'tool', id, tool_call_id, name, content, status: 'success' };
      }
    }
  });
}

/** Undefined if they are no JSON object. */
export function readArguments(input: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseBounded(objectText(input));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
