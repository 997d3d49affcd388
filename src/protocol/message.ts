/** The types that models accept, and so those that a tool may return. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

export type ImageType = (typeof IMAGE_TYPES)[number];

export interface Image {
  readonly media_type: ImageType;
  /** The file's bytes, in base64. */
  readonly data: string;
}

/** Bytes of the file. */
export function imageBytes({ data }: Image): number {
  return Buffer.byteLength(data, 'base64');
}

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
  /** Images among its files; only in requests to models that accept images. */
  readonly images?: readonly Image[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  /** Sent back to its provider verbatim, such as reasoning signatures; by the provider's name. */
  readonly provider_data?: Readonly<Record<string, unknown>>;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
  /** Only in requests to models that accept images: neither stored nor sent to clients. */
  readonly images?: readonly Image[];
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
