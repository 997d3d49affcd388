import type { Image } from './image.js';

/** Conversation messages, shaped as OpenAI chat messages. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    /** A JSON object as text. */
    readonly arguments: string;
  };
}

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: string;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  /** What a provider needs back verbatim, such as reasoning signatures; keyed by the provider's name. */
  readonly provider_data?: Readonly<Record<string, unknown>>;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
  /** What a model that can see is shown with it. Only on the way to a model: no stored state, and no client, has it. */
  readonly images?: readonly Image[];
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
