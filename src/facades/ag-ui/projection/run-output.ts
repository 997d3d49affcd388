import type { StreamFrame } from '../../../streams/event-streams.js';
import { sendable } from '../../base/sendable.js';
import type { AgUiEvent, AgUiMessage, Json } from '../ag-ui-event.js';
import { History } from '../history.js';
import { MessageList } from './message-list.js';

export interface OutputOptions {
  readonly interaction_id: string;
  /** True: the client has been told of what comes first. */
  readonly isReplaying: boolean;
  /** The messages of the client. */
  readonly messages: readonly Json[];
  /** Names of the tools that the client runs. */
  readonly client_tools: ReadonlySet<string>;
}

/** The events of a run for its client, and the messages that the client makes of them. */
export class RunOutput {
  isReplaying: boolean;
  /** True if messages of the client are to be replaced, once it has all that there is. */
  isStale = false;
  private readonly history: History;
  private readonly messages: MessageList;
  private out: AgUiEvent[] = [];

  constructor(private readonly options: OutputOptions) {
    const { messages, interaction_id, client_tools } = options;
    this.isReplaying = options.isReplaying;
    this.history = new History(messages, interaction_id);
    this.messages = new MessageList(({ toolCallId, toolCallName }) =>
      client_tools.has(toolCallName) ? this.history.resultOf(toolCallId) : undefined,
    );
  }

  emit(events: readonly AgUiEvent[]): void {
    for (const event of events) {
      this.messages.take(event);
      if (!this.isReplaying) this.out.push(event);
    }
  }

  /** A message that the client has to take back. */
  remove(message: string): void {
    this.messages.remove(message);
    this.isStale = true;
  }

  /** @param text the arguments that the call runs with instead, as JSON */
  setArguments(call: string, text: string): void {
    this.messages.setArguments(call, text);
    this.isStale = true;
  }

  /** True if the client ran the call, and has the result as a message. */
  hasResult(call: string, tool: string): boolean {
    return this.options.client_tools.has(tool) && this.history.resultOf(call) !== undefined;
  }

  /** Replaces the messages of the client, if some of them are to be. */
  refresh(): void {
    if (this.isStale && !this.isReplaying) this.snapshot();
  }

  /** Nothing where the conversation is too long to be sent again. */
  snapshot(): void {
    if (this.isReplaying) return;
    this.isStale = false;
    if (this.messages.isFull || this.history.isLong) return;
    const before = this.history.before((call) => this.messages.hasCall(call));
    const messages = [...before, ...this.messages.list()];
    this.out.push({ type: 'MESSAGES_SNAPSHOT', messages });
  }

  /** The messages of the interaction, without the history before it. */
  ownMessages(): readonly AgUiMessage[] {
    return this.messages.list() as readonly AgUiMessage[];
  }

  /** The events since the last call. */
  takeFrames(): readonly StreamFrame[] {
    const frames = this.out.map((event) => ({ data: JSON.stringify(event, sendable) }));
    this.out = [];
    return frames;
  }
}
