import type { Observer, Subscription } from 'rxjs';
import { viewRequest } from '../approvals/request-view.js';
import { viewChat } from '../chats/chat-view.js';
import { LOG_WENT_BACK } from '../event-log/follow/follower.js';
import type { Backlog } from '../kernel/async/backlog.js';
import type { Readers } from '../event-log/follow/readers.js';
import type { StreamEvent } from '../event-log/follow/stream-event.js';
import {
  LOG_UNREADABLE,
  positionIn,
  toErrorEvent,
  withFiles,
} from '../interactions/events.service.js';
import { isUnreadable } from '../encryption/unreadable.js';
import { afterTick } from '../kernel/async/after-tick.js';
import { AppError } from '../kernel/app-error.js';
import type { InteractionStore } from '../persistence/interaction.store.js';
import type { RecordStore } from '../persistence/record.store.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { sees } from '../persistence/viewer.js';
import type { Viewer } from '../persistence/viewer.js';
import { START } from '../protocol/cursor.js';
import type { Cursor } from '../protocol/cursor.js';
import { isFinal } from '../protocol/interaction.js';
import type { ChatEvent } from '../protocol/live-events.js';
import { RESUME_REASONS } from '../runs/scope/run-input.js';
import { AgentStates } from './agent-states.js';
import type { ChatChange } from './change-details.js';
import type { ChatChanges } from './chat-changes.js';
import { BEFORE_ALL, formatChatCursor, startOf } from './chat-cursor.js';
import type { ChatCursor } from './chat-cursor.js';
import type { LiveStates, StateOptions } from './live-states.js';

/** Interactions that a reader has missed, looked up at once. */
const BATCH_SIZE = 50;

export interface ChatReaderDeps {
  readonly readers: Readers;
  readonly interactions: InteractionStore;
  readonly records: RecordStore;
  readonly changes: ChatChanges;
  readonly states: LiveStates;
}

export interface ChatReaderOptions {
  readonly chat: ChatRow;
  readonly viewer: Viewer;
  /** Undefined: before everything. */
  readonly from: ChatCursor | undefined;
  readonly trace: boolean;
  readonly backlog: Backlog;
}

/** An event, and the cursor after it. */
export interface ChatFrame {
  readonly cursor: string;
  readonly event: StreamEvent | ChatEvent | ReturnType<typeof toErrorEvent>;
}

/**
 * Follows a chat for one reader: its interactions one after the other, in the order in which they
 * began, and meanwhile what changes besides.
 */
export class ChatReader {
  private cursor: string;
  private at: ChatCursor | undefined;
  private stopped = false;
  private following: Subscription | undefined;
  private changes: Subscription | undefined;
  /** Handles one change after the other. */
  private work = Promise.resolve();
  private upcoming: string[] = [];
  private agents: AgentStates | undefined;
  private isAgentsDue = false;
  /** The board has been told as it was: the reader needs the state again. */
  private isBoardOld = false;
  private wake = (): void => {};
  private readonly stopping: Promise<void>;
  private resolveStop = (): void => {};

  constructor(
    private readonly deps: ChatReaderDeps,
    private readonly options: ChatReaderOptions,
    private readonly reader: Observer<ChatFrame>,
  ) {
    this.at = options.from;
    this.cursor = options.from ? formatChatCursor(options.from) : BEFORE_ALL;
    this.stopping = new Promise((resolve) => (this.resolveStop = resolve));
  }

  start(): void {
    const { changes } = this.deps;
    this.changes = changes.ofOne(this.options.chat.uid).subscribe((change) => {
      this.do(() => this.take(change));
    });
    this.do(() => this.sendState({ withMessages: !this.options.from }));
    void this.work.then(() => this.followAll()).catch((error: unknown) => this.fail(error));
  }

  stop(): void {
    this.stopped = true;
    this.changes?.unsubscribe();
    this.following?.unsubscribe();
    this.resolveStop();
  }

  private do(task: () => Promise<void> | void): void {
    this.work = this.work
      .then(() => (this.stopped ? undefined : task()))
      .catch((error: unknown) => this.fail(error));
  }

  private async sendState(options?: StateOptions): Promise<void> {
    const { chat, viewer } = this.options;
    const state = await this.deps.states.ofChat(chat, viewer, options);
    if (state) this.send(state);
    else this.finish();
  }

  private async take(change: ChatChange): Promise<void> {
    const { after, row, isLate } = change;
    if (!after || !row || !sees(this.options.viewer, after.state)) return this.finish();
    if (!isLate) this.sendChanges(change, viewChat(row, after.state));
    if (isLate || isQueueEmptied(change)) await this.sendState();
    this.wake();
  }

  private sendChanges(
    { uid: _, before, after, opened, settled, queued, tasks, files }: ChatChange,
    chat: ReturnType<typeof viewChat>,
  ): void {
    const chat_id = chat.id;
    const queue = after?.state.queued ?? [];
    for (const interaction_id of queued)
      this.send({
        ...{ type: 'INTERACTION_QUEUED', chat_id, interaction_id },
        ...{ position: queue.indexOf(interaction_id) + 1, queued: queue },
      });
    for (const row of opened)
      this.send({ type: 'REQUEST_OPENED', chat_id, request: viewRequest(row) });
    for (const row of settled)
      this.send({ type: 'REQUEST_SETTLED', chat_id, request: viewRequest(row) });
    for (const file of files) this.send({ type: 'FILE_ADDED', chat_id, file });
    for (const each of tasks) this.send({ type: 'TASK_UPDATED', chat_id, ...each });
    if (JSON.stringify(before?.state) !== JSON.stringify(after?.state))
      this.send({ type: 'CHAT_UPDATED', chat_id, chat });
  }

  private async followAll(): Promise<void> {
    while (!this.stopped) {
      if (this.at) await this.followOne(this.at);
      if (!this.stopped) await this.moveOn();
    }
  }

  /** Resolves when the reader has all of it. */
  private async followOne({ interaction_id, cursor }: ChatCursor): Promise<void> {
    const { viewer } = this.options;
    const row = await this.deps.interactions.findInteraction(interaction_id, viewer);
    const from = row && positionIn(row, cursor);
    if (!row || !from || this.stopped) return;
    try {
      await this.followRow(row, from);
    } catch (error) {
      this.skip(row, error);
    }
  }

  private async followRow(row: InteractionRow, from: Cursor): Promise<void> {
    const { id: interaction_id } = row;
    const { trace, backlog } = this.options;
    const { records } = this.deps;
    this.agents = isFinal(row.status) ? undefined : await AgentStates.open(records, row, from.seq);
    if (this.stopped) return;
    await new Promise<void>((resolve, reject) => {
      void this.stopping.then(resolve);
      const events = this.deps.readers.follow({ interaction_id, cursor: from, trace, backlog });
      this.following = events.subscribe({
        next: ({ cursor: within, event }) => {
          this.cursor = `${interaction_id}/${within}`;
          if ('seq' in event) this.at = { interaction_id, cursor: { ...START, seq: event.seq } };
          this.send(withFiles(event, row));
          if (this.agents?.apply(event)) this.sendAgentsLater();
          if (event.type === 'TASK_UPDATED' && event.seq <= row.last_seq) {
            this.isBoardOld = true;
            if (!isFinal(row.status)) afterTick(() => this.renewBoard());
          }
        },
        complete: resolve,
        error: reject,
      });
    });
  }

  /** Goes on after an interaction that can't be read; another error ends the stream. */
  private skip({ id: interaction_id, agent_id, last_seq }: InteractionRow, error: unknown): void {
    const origin = { interaction_id, agent_id };
    if (isUnreadable(error)) {
      this.at = { interaction_id, cursor: { ...START, seq: last_seq } };
      this.cursor = formatChatCursor(this.at);
      this.send(toErrorEvent(origin, LOG_UNREADABLE));
    } else if (error instanceof AppError && error.code === LOG_WENT_BACK) {
      this.cursor = formatChatCursor(startOf(interaction_id));
      this.send(toErrorEvent(origin, error));
      this.finish();
    } else this.fail(error);
  }

  /** Once for all events of a tick. */
  private sendAgentsLater(): void {
    const { agents } = this;
    if (!agents || this.isAgentsDue) return;
    this.isAgentsDue = true;
    const { interaction_id = '' } = this.at ?? {};
    afterTick(() => {
      this.isAgentsDue = false;
      const { id: chat_id } = this.options.chat;
      for (const state of agents.takeChanges())
        this.send({ type: 'AGENT_STATE', chat_id, interaction_id, ...state });
    });
  }

  private renewBoard(): void {
    if (!this.isBoardOld) return;
    this.isBoardOld = false;
    this.do(() => this.sendState());
  }

  /** Resolves when there is something to follow at `at`. */
  private async moveOn(): Promise<void> {
    for (;;) {
      const change = new Promise<void>((resolve) => (this.wake = resolve));
      if (this.stopped || (await this.hasMore()) || (await this.findNext())) return;
      this.renewBoard();
      await Promise.race([change, this.stopping]);
    }
  }

  /** True for an interaction that goes on after its end: it was retried. */
  private async hasMore(): Promise<boolean> {
    if (!this.at) return false;
    const { interaction_id, cursor } = this.at;
    const row = await this.deps.interactions.findInteraction(interaction_id, this.options.viewer);
    return row !== undefined && row.last_seq > cursor.seq;
  }

  private async findNext(): Promise<boolean> {
    const { interactions } = this.deps;
    const last = this.at?.interaction_id;
    if (this.upcoming.length === 0)
      this.upcoming = await interactions.listBegun(this.options.chat.uid, BATCH_SIZE, last);
    const next = this.upcoming.shift();
    if (next === undefined) return false;
    this.at = await this.beginningOf(next, last);
    return true;
  }

  /**
   * An older interaction that was retried comes after those that began since; the reader has what
   * it said before. Ids sort by time.
   */
  private async beginningOf(next: string, last: string | undefined): Promise<ChatCursor> {
    if (last === undefined || next > last) return startOf(next);
    const resumed = await this.deps.records.readRecordsOfTypes([next], ['RESUMED']);
    const retried = resumed.findLast(
      ({ body }) => body.type === 'RESUMED' && body.reason === RESUME_REASONS.retried,
    );
    if (!retried) return startOf(next);
    return { interaction_id: next, cursor: { ...START, seq: retried.seq - 1 } };
  }

  private send(event: ChatFrame['event']): void {
    if (!this.stopped) this.reader.next({ cursor: this.cursor, event });
  }

  private finish(): void {
    if (this.stopped) return;
    this.stop();
    this.reader.complete();
  }

  private fail(error: unknown): void {
    if (this.stopped) return;
    this.stop();
    this.reader.error(error);
  }
}

/** The last message was taken out of the queue: there is none left to tell of in its place. */
function isQueueEmptied({ before, after }: ChatChange): boolean {
  const { queued, active_interaction_id } = after!.state;
  return queued.length === 0 && !!before?.state.queued.some((id) => id !== active_interaction_id);
}
