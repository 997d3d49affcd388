import type { Observer, Subscription } from 'rxjs';
import { viewRequest } from '../approvals/request-view.js';
import type { ChatState } from '../persistence/rows/chat-state.js';
import { sees } from '../persistence/viewer.js';
import type { Viewer } from '../persistence/viewer.js';
import type { FeedEvent } from '../protocol/live-events.js';
import type { ChatChange } from './change-details.js';
import type { ChatChanges } from './chat-changes.js';
import type { LiveStates } from './live-states.js';
import { viewListed } from './live-states.js';

/** Follows all chats of a tenant that one viewer sees. */
export class FeedReader {
  private stopped = false;
  private changes: Subscription | undefined;
  private isStateDue = true;
  /** Handles one change after the other. */
  private work = Promise.resolve();

  constructor(
    private readonly deps: { readonly changes: ChatChanges; readonly states: LiveStates },
    private readonly viewer: Viewer,
    private readonly reader: Observer<FeedEvent>,
  ) {}

  start(): void {
    this.changes = this.deps.changes
      .ofAll(this.viewer.tenant_id)
      .subscribe((change) => this.take(change));
    this.do(() => this.sendState());
  }

  stop(): void {
    this.stopped = true;
    this.changes?.unsubscribe();
  }

  private take(change: ChatChange): void {
    const { before, after, was, isLate } = change;
    const saw = before ? sees(this.viewer, before.state) : was ? sees(this.viewer, was) : false;
    const seesNow = after !== undefined && sees(this.viewer, after.state);
    if (!saw && !seesNow) return;
    const isNew = before !== undefined && !saw && after?.state.request_ids.length !== 0;
    if (isLate || isNew) return this.renewState();
    this.do(() => {
      if (seesNow) this.sendChanges(change, after.state);
      else this.sendGone((before?.state ?? was)?.id);
    });
  }

  /** Once for any number of late changes. */
  private renewState(): void {
    if (this.isStateDue) return;
    this.isStateDue = true;
    this.do(() => this.sendState());
  }

  private async sendState(): Promise<void> {
    this.isStateDue = false;
    this.send(await this.deps.states.ofFeed(this.viewer));
  }

  private sendChanges(change: ChatChange, state: ChatState): void {
    const { before, opened, settled, queued, interactions } = change;
    const { id: chat_id } = state;
    const chat = viewListed(state);
    const had = before && sees(this.viewer, before.state) && viewListed(before.state);
    if (JSON.stringify(had) !== JSON.stringify(chat))
      this.send({ type: 'CHAT_UPDATED', chat_id, chat });
    for (const interaction_id of queued)
      if (!before?.state.queued.includes(interaction_id))
        this.send({
          ...{ type: 'INTERACTION_QUEUED', chat_id, interaction_id },
          ...{ position: state.queued.indexOf(interaction_id) + 1, queued: state.queued },
        });
    for (const { id: interaction_id, status } of interactions)
      this.send({ type: 'INTERACTION_UPDATED', chat_id, interaction_id, status });
    for (const row of opened)
      this.send({ type: 'REQUEST_OPENED', chat_id, request: viewRequest(row) });
    for (const row of settled)
      this.send({ type: 'REQUEST_SETTLED', chat_id, request: viewRequest(row) });
  }

  private sendGone(chat_id: string | undefined): void {
    if (chat_id !== undefined)
      this.send({ type: 'CHAT_UPDATED', chat_id, chat: null, deleted: true });
  }

  private send(event: FeedEvent): void {
    if (!this.stopped) this.reader.next(event);
  }

  private do(task: () => Promise<void> | void): void {
    this.work = this.work
      .then(() => (this.stopped ? undefined : task()))
      .catch((error: unknown) => {
        if (this.stopped) return;
        this.stop();
        this.reader.error(error);
      });
  }
}
