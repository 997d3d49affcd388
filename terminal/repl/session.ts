import { fold, ParleyError } from '../../client/index.js';
import type {
  Client,
  Connection,
  Conversation,
  InteractionState,
  RequestState,
} from '../../client/index.js';
import { startBody } from '../chat/chat-settings.js';
import type { ChatSettings } from '../chat/chat-settings.js';
import { Transcript } from '../transcript/transcript.js';

/** Earlier interactions that are shown when a chat is opened. */
const SHOWN = 5;
/** A note is at most so long; more of it goes beside it. */
const MOST_COMMENT = 8_000;
const SPECIAL_COMMENTS = ['delete', 'modify'];

export interface SentNote {
  readonly id: string;
  readonly text: string;
  readonly interaction_id: string;
}

/** Chat: what is known of it, its stream, and what a person does in it. */
export class Session {
  state: Conversation | undefined;
  readonly transcript = new Transcript(true);
  connection: Connection | undefined;
  /** A stream that has ended for good. */
  failure: unknown;
  /** Notes that no agent has read yet. */
  notes: SentNote[] = [];
  /** Notes of interactions that ended before they were read. */
  lateNotes: SentNote[] = [];
  agent: string | undefined;
  model: string | undefined;
  readonly isAuto: boolean | undefined;
  private readonly stop = new AbortController();
  /** Interactions of other branches, which a replay is not to show. */
  private hidden = new Set<string>();
  private isReading = false;
  /** The last message of this terminal: it runs, even if its first event has not come yet. */
  private sent: { readonly id: string; readonly agent_id: string } | undefined;

  constructor(
    private readonly client: Client,
    settings: ChatSettings,
    private readonly changed: () => void,
  ) {
    this.id = settings.chat_id;
    this.agent = settings.agent;
    this.model = settings.model;
    this.isAuto = settings.isAuto;
  }

  readonly id: string;

  /** Shows the last interactions of the chat. One that is not there yet begins with a message. */
  async open(): Promise<void> {
    const query = { limit: SHOWN + 1, include: 'superseded' as const };
    const chat = await this.client.chats.get(this.id, query).catch((error: unknown) => {
      if (error instanceof ParleyError && error.code === 'chat_not_found') return undefined;
      throw error;
    });
    if (!chat) return;
    const branch = chat.interactions.filter((it) => !it.superseded_at && it.status !== 'QUEUED');
    const earlier = branch.length > SHOWN ? branch.at(-SHOWN - 1) : undefined;
    this.hidden = new Set(chat.interactions.flatMap((it) => (it.superseded_at ? [it.id] : [])));
    this.read(earlier ? `${earlier.id}/${earlier.last_seq}` : '0');
  }

  close(): void {
    this.stop.abort();
  }

  /** The interaction that runs, or the last one. */
  get head(): InteractionState | undefined {
    const { state } = this;
    // The head of the chat is told after the interaction has begun.
    const active = Object.values(state?.interactions ?? {}).findLast(isActive);
    return active ?? (state?.head ? state.interactions[state.head] : undefined);
  }

  get isBusy(): boolean {
    const { head } = this;
    if (this.isStarting) return true;
    return head !== undefined && isActive(head);
  }

  private get isStarting(): boolean {
    const { sent, state } = this;
    return sent !== undefined && state?.interactions[sent.id] === undefined;
  }

  /** Requests that wait for a person, oldest first. */
  get pending(): RequestState[] {
    return (this.state?.requests ?? [])
      .filter((it) => it.status === 'pending' && it.kind !== 'tool')
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Sends a message, or puts it into the queue of a busy chat. @throws ParleyError */
  async send(
    text: string,
    { isQueued = false, file_ids }: { isQueued?: boolean; file_ids?: string[] | undefined } = {},
  ): Promise<void> {
    const body = {
      ...startBody(this, text),
      ...(isQueued && { on_conflict: 'enqueue' as const }),
      ...(file_ids && file_ids.length > 0 && { file_ids }),
    };
    const idempotency_key = crypto.randomUUID();
    const started = await this.client.interactions
      .start(this.id, body, { idempotency_key })
      .catch((error: unknown) => this.showOthers(error));
    if (started.status !== 'QUEUED') this.sent = started;
    this.read('0');
  }

  /** Another client has begun the chat: what it does there is shown, and can be steered. */
  private async showOthers(error: unknown): Promise<never> {
    if (error instanceof ParleyError && error.code === 'chat_busy' && !this.isReading)
      await this.open();
    throw error;
  }

  /** Replaces a message by another, and goes on from there. @throws ParleyError */
  async edit(interactionId: string, text: string): Promise<void> {
    const { user_message, ...rest } = startBody(this, text);
    const body = { ...rest, new_user_message: user_message, on_conflict: 'interrupt' as const };
    const started = await this.client.interactions.edit(this.id, interactionId, body);
    if (started.status !== 'QUEUED') this.sent = started;
  }

  /** Leaves a note to the root agent, which it reads before its next turn. @throws ParleyError */
  async steer(text: string): Promise<void> {
    const { sent, head } = this;
    const { id: interaction_id, agent_id } = this.isStarting ? sent! : rootOf(head);
    if (agent_id === undefined) return this.send(text);
    const isPlain = text.length <= MOST_COMMENT && !SPECIAL_COMMENTS.includes(text.trim());
    const body = isPlain
      ? { user_comment: text }
      : { user_comment: 'A note of the user', user_content: text };
    const { intervention_id: id } = await this.client.agents.intervene(agent_id, body);
    this.notes.push({ id, text, interaction_id });
    // The stream may have told the end of the interaction before this answer came.
    const told = this.state?.interactions[interaction_id];
    if (!told || isActive(told)) return;
    this.endNotes(interaction_id);
    this.changed();
  }

  /** Cancels what runs, if anything does. @throws ParleyError */
  async cancel(interactionId = this.isStarting ? this.sent!.id : this.head?.id): Promise<void> {
    if (interactionId === undefined) return;
    try {
      await this.client.interactions.cancel(this.id, interactionId);
    } catch (error) {
      if (!(error instanceof ParleyError && error.status === 409)) throw error;
    }
  }

  private read(cursor: string): void {
    if (this.isReading) return;
    this.isReading = true;
    void this.follow(cursor);
  }

  private async follow(cursor: string): Promise<void> {
    const onConnection = (connection: Connection): void => {
      this.connection = connection;
      this.changed();
    };
    const { signal } = this.stop;
    try {
      for await (const event of this.client
        .chat(this.id)
        .events({ cursor, signal, onConnection })) {
        // Texts that are being written are the transcript's.
        if (!('offset' in event)) this.state = fold(this.state, event);
        if (!('interaction_id' in event && this.hidden.has(event.interaction_id)))
          this.transcript.take(event);
        if (event.type === 'AGENT_INTERVENED')
          this.notes = this.notes.filter(({ id }) => id !== event.intervention_id);
        if (event.type === 'INTERACTION_COMPLETE') this.endNotes(event.interaction_id);
        this.changed();
      }
    } catch (error) {
      if (signal.aborted) return;
      [this.failure, this.sent] = [error, undefined];
      this.changed();
    }
  }

  private endNotes(interactionId: string): void {
    const late = this.notes.filter((note) => note.interaction_id === interactionId);
    this.lateNotes.push(...late);
    this.notes = this.notes.filter((note) => note.interaction_id !== interactionId);
  }
}

function isActive({ status }: InteractionState): boolean {
  return !/^(?:COMPLETED|FAILED|CANCELLED)$/.test(status);
}

function rootOf(head: InteractionState | undefined): { id: string; agent_id: string | undefined } {
  const root = head?.agents.find(({ parent_agent_id }) => parent_agent_id === null);
  return { id: head?.id ?? '', agent_id: root?.id };
}
