import { fold, ParleyError } from 'parley/client';
import type { Chat, ChatStreamEvent, Connection, Conversation, Interaction } from 'parley/client';
import { client } from '../session/client';
import { Store } from '../ui/store';
import { inTurns } from './stream-turns';

/** A hidden tab gives its connection back after this long, in milliseconds. */
const HIDDEN_MS = 10_000;
/** Between two changes of what is shown, in milliseconds. */
const PAINT_MS = 60;
/** Until a page that the server could not give is asked for again, in milliseconds. */
const RETRY_MS = 1000;
/** A server that is away for longer is asked again. */
const MAX_RETRY_AFTER_MS = 300_000;
const PAGE = 50;

/** A chat as the page knows it. */
export interface ChatView {
  /** Told by the stream: everything since the page was opened, and the turn that ran then. */
  readonly conversation: Conversation | undefined;
  /** Interactions of all branches that the server has told in pages, by id. */
  readonly history: Readonly<Record<string, Interaction>>;
  readonly messages: Chat['messages'];
  readonly settings: Chat['settings'];
  readonly usage: Chat['usage'] | null;
  /** For the earlier interactions; null: all are here; undefined: not known yet. */
  readonly nextBefore: string | null | undefined;
  readonly connection: Connection['state'];
  /** When the connection will be tried again, in ms since 1970. */
  readonly retryAt: number | null;
  /** Why there is nothing to show, for good. */
  readonly fault: ParleyError | null;
}

const NOTHING: ChatView = {
  conversation: undefined,
  history: {},
  messages: [],
  settings: {},
  usage: null,
  nextBefore: undefined,
  connection: 'reconnecting',
  retryAt: null,
  fault: null,
};

/** Follows one chat while it is open, and lets go of the connection while the tab is hidden. */
export class OpenChat {
  readonly view = new Store<ChatView>(NOTHING);
  /** Counts what was sent from this page, which is followed to its end. */
  readonly sent = new Store(0);
  /** Events that came since the last change of what is shown. */
  private pending: ChatStreamEvent[] = [];
  private cursor: string | undefined;
  private stop = new AbortController();
  private hidden: ReturnType<typeof setTimeout> | undefined;
  private frame: ReturnType<typeof setTimeout> | undefined;
  private lastPaint = 0;
  private isLoadingEarlier = false;

  constructor(readonly id: string) {}

  open(): void {
    document.addEventListener('visibilitychange', this.onVisibility);
    void this.follow();
    // A tab that was opened in the background has not been looked at yet.
    if (document.hidden) this.onVisibility();
  }

  /** After a fault, or at once instead of after the pause: from the beginning. */
  reopen(): void {
    this.stop.abort();
    this.pending = [];
    this.view.set(NOTHING);
    this.cursor = undefined;
    void this.follow();
  }

  close(): void {
    document.removeEventListener('visibilitychange', this.onVisibility);
    clearTimeout(this.hidden);
    this.stop.abort();
  }

  /** The page of interactions before those that are known. */
  async loadEarlier(): Promise<void> {
    const { nextBefore } = this.view.get();
    if (!nextBefore || this.isLoadingEarlier) return;
    this.isLoadingEarlier = true;
    try {
      this.takePage(await this.page(nextBefore), 'earlier');
    } finally {
      this.isLoadingEarlier = false;
    }
  }

  /** Reads again what the stream does not tell: settings, usage, what other branches have. */
  async refresh(): Promise<void> {
    this.takePage(await this.page());
  }

  private async follow(): Promise<void> {
    this.stop = new AbortController();
    const { signal } = this.stop;
    try {
      await inTurns(signal, (turn) => this.read(turn));
    } catch (error) {
      if (!signal.aborted) this.fail(error);
    }
  }

  private async read(signal: AbortSignal): Promise<void> {
    const options = { cursor: this.cursor, signal, onConnection: this.onConnection };
    const stream = client.chat(this.id).events(options);
    for await (const event of stream) {
      this.pending.push(event);
      this.cursor = stream.cursor;
      this.schedule();
      if (event.type === 'CHAT_STATE' && this.view.get().nextBefore === undefined) void this.load();
      if (event.type === 'INTERACTION_COMPLETE') void this.refresh().catch(() => undefined);
    }
  }

  /** After the stream has begun: turns that end later than this page are in the stream. */
  private async load(): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted)
      try {
        return this.takePage(await this.page());
      } catch (error) {
        if (!(error instanceof ParleyError && error.isTemporary)) return this.fail(error);
        const asked_ms = Math.min(error.retry_after_ms ?? 0, MAX_RETRY_AFTER_MS);
        const pause_ms = Math.max(asked_ms, RETRY_MS * (1 + Math.random()));
        await new Promise((resolve) => setTimeout(resolve, pause_ms));
      }
  }

  private page(before?: string): Promise<Chat> {
    return client.chats.get(this.id, { include: 'superseded', limit: PAGE, before });
  }

  private takePage(chat: Chat, place: 'newest' | 'earlier' = 'newest'): void {
    const { interactions, messages, settings, usage, next_before } = chat;
    const view = this.view.get();
    const page = Object.fromEntries(interactions.map((it) => [it.id, it]));
    const isNext = place === 'earlier' || view.nextBefore === undefined;
    this.view.set({
      ...view,
      history: { ...view.history, ...page },
      messages,
      settings,
      usage,
      nextBefore: isNext ? next_before : view.nextBefore,
    });
  }

  /** A few changes a second, however fast the events come: painting costs more than reading. */
  private schedule(): void {
    if (this.frame !== undefined) return;
    const apply = (): void => {
      this.frame = undefined;
      const view = this.view.get();
      const conversation = this.pending.reduce<Conversation | undefined>(fold, view.conversation);
      this.pending = [];
      this.lastPaint = performance.now();
      this.view.set({ ...view, conversation });
    };
    const wait = Math.max(0, this.lastPaint + PAINT_MS - performance.now());
    this.frame = setTimeout(apply, wait);
  }

  private readonly onConnection = (connection: Connection): void => {
    const retryAt = connection.state === 'reconnecting' ? Date.now() + connection.delay_ms : null;
    this.view.set({ ...this.view.get(), connection: connection.state, retryAt });
  };

  private readonly onVisibility = (): void => {
    clearTimeout(this.hidden);
    if (document.hidden) this.hidden = setTimeout(() => this.stop.abort(), HIDDEN_MS);
    else if (this.stop.signal.aborted) void this.follow();
  };

  private fail(error: unknown): void {
    const fault =
      error instanceof ParleyError ? error : new ParleyError(0, 'page_fault', String(error));
    this.view.set({ ...this.view.get(), fault });
  }
}
