import * as ai5 from 'ai-5';
import * as ai6 from 'ai-6';
import * as ai7 from 'ai-7';

export const VERSIONS = [5, 6, 7] as const;
export type Version = (typeof VERSIONS)[number];

export interface Part {
  readonly type: string;
  readonly text?: string;
  readonly state?: string;
  readonly toolCallId?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly approval?: { readonly id: string; readonly approved?: boolean };
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface UiMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: readonly Part[];
  readonly metadata?: { readonly parley: Readonly<Record<string, unknown>> };
}

/** A frame, as a client has checked it. */
export type Chunk = Readonly<Record<string, unknown>> & { readonly type: string };

type SendOptions = { readonly body?: object };
interface Output {
  readonly tool: string;
  readonly toolCallId: string;
  readonly state?: 'output-available' | 'output-error';
  readonly output?: unknown;
  readonly errorText?: string;
}

/** What the chats of all versions have in common. */
export interface Chat {
  readonly id: string;
  readonly status: 'submitted' | 'streaming' | 'ready' | 'error';
  readonly error: Error | undefined;
  messages: UiMessage[];
  sendMessage(
    message?: { readonly text: string; readonly messageId?: string },
    options?: SendOptions,
  ): Promise<void>;
  regenerate(options?: { readonly messageId?: string }): Promise<void>;
  resumeStream(): Promise<void>;
  stop(): Promise<void>;
  addToolOutput(output: Output): Promise<void>;
  /** Not in version 5. */
  addToolApprovalResponse(response: {
    readonly id: string;
    readonly approved: boolean;
    readonly reason?: string;
  }): Promise<void>;
}

interface ChatOptions {
  readonly url: string;
  readonly id: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly messages?: readonly UiMessage[];
  readonly body?: object;
  readonly fetch?: typeof fetch;
  readonly onData?: (chunk: Chunk) => void;
  readonly onToolCall?: (call: { readonly toolCall: { readonly toolName: string } }) => void;
}

/** The parts of the packages that the tests use, typed alike. */
interface Sdk {
  readonly AbstractChat: new (init: object) => Chat;
  readonly DefaultChatTransport: new (init: object) => object;
  readonly uiMessageChunkSchema: () => {
    validate(chunk: unknown): PromiseLike<{ success: boolean; error?: Error }>;
  };
  readonly readUIMessageStream: (options: {
    readonly stream: ReadableStream<Chunk>;
    readonly message?: UiMessage;
    readonly terminateOnError: true;
  }) => AsyncIterable<UiMessage>;
  readonly lastAssistantMessageIsCompleteWithToolCalls: (chat: object) => boolean;
  readonly lastAssistantMessageIsCompleteWithApprovalResponses?: (chat: object) => boolean;
}

const SDKS = { 5: ai5, 6: ai6, 7: ai7 } as unknown as Readonly<Record<Version, Sdk>>;

/** A chat as a page has it, without a page: it sends by itself what completes its calls. */
export function openChat(version: Version, { url, messages = [], ...options }: ChatOptions): Chat {
  const sdk = SDKS[version];
  const { headers, body, fetch, ...chat } = options;
  const transport = { api: `${url}/ai-sdk/chat?v=${version}`, headers, body, fetch };
  return new sdk.AbstractChat({
    ...chat,
    transport: new sdk.DefaultChatTransport(transport),
    state: new State(messages),
    sendAutomaticallyWhen: (state: object) =>
      sdk.lastAssistantMessageIsCompleteWithToolCalls(state) ||
      (sdk.lastAssistantMessageIsCompleteWithApprovalResponses?.(state) ?? false),
  });
}

/** Checks each frame with the schema of the package, and gives the message that they make. */
export async function readChunks(
  version: Version,
  chunks: readonly unknown[],
  message?: UiMessage,
): Promise<UiMessage | undefined> {
  const sdk = SDKS[version];
  const schema = sdk.uiMessageChunkSchema();
  for (const chunk of chunks) {
    const { success, error } = await schema.validate(chunk);
    if (!success) throw new Error(`${JSON.stringify(chunk)}: ${error?.message}`);
  }
  const stream = new ReadableStream<Chunk>({
    start: (reader) => {
      for (const chunk of chunks) reader.enqueue(chunk as Chunk);
      reader.close();
    },
  });
  let last: UiMessage | undefined;
  const given = { stream, terminateOnError: true, ...(message && { message }) } as const;
  for await (const state of sdk.readUIMessageStream(given)) last = state;
  return last;
}

/** What frameworks keep of a chat. */
class State {
  status = 'ready';
  error: Error | undefined;
  messages: UiMessage[];

  constructor(messages: readonly UiMessage[]) {
    this.messages = [...messages];
  }

  pushMessage = (message: UiMessage): void => {
    this.messages = [...this.messages, message];
  };
  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UiMessage): void => {
    this.messages = this.messages.with(index, this.snapshot(message));
  };
  snapshot = <T>(value: T): T => structuredClone(value);
}
