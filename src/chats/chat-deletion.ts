import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../access/chat-access.js';
import { chatNotFound } from '../access/not-found.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../auth/principal.js';
import { CancellationService } from '../cancellation/cancellation.service.js';
import { WaitForEnd } from '../cancellation/wait-for-end.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { ChatStore } from '../persistence/chat.store.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import { isFinal } from '../protocol/interaction.js';
import { Workspaces } from '../workspace/workspaces.js';
import { Leftovers } from './leftovers.js';
import { requireOwner } from './require-owner.js';

/** Timeout for running interactions to stop before a delete, in milliseconds. */
const STOP_LIMIT_MS = 30_000;
/** The newest interactions whose readers a delete waits for. */
const MAX_JUST_ENDED = 20;

/** Deletes chats with everything of them. */
@Injectable()
export class ChatDeletion {
  constructor(
    private readonly chats: ChatStore,
    private readonly access: ChatAccess,
    private readonly leftovers: Leftovers,
    private readonly interactions: InteractionStore,
    private readonly cancellation: CancellationService,
    private readonly waitForEnd: WaitForEnd,
    private readonly workspaces: Workspaces,
    private readonly bus: LiveBus,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Cancels all interactions, waits until they stopped, then deletes everything.
   * @throws AppError `chat_not_found` (404), `not_owner` (403), `chat_still_running` (503)
   */
  async delete(caller: Principal, id: string): Promise<void> {
    const { user_id } = caller;
    const deadline = this.clock.monotonic() + STOP_LIMIT_MS;
    const chat = await this.access.chat(caller, id);
    requireOwner(caller, chat);
    const { uid } = chat;
    await this.workspaces.intendDiscard(uid);
    for (;;) {
      await this.waitForReaders(uid);
      const outcome = await this.chats.deleteChat(uid);
      if (outcome === 'deleted') {
        this.noteChange(chat);
        await this.audit.note(caller, 'chat.deleted', { chat_id: id });
        return this.leftovers.removeOf(uid);
      }
      if (outcome === 'unknown') throw chatNotFound(id);
      const left = deadline - this.clock.monotonic();
      if (left <= 0 || !(await this.stopActive(uid, { user_id, limit_ms: left })))
        throw stillRunning(id);
    }
  }

  /**
   * Deletes a chat that is untouched since then, as `delete` does. False: it was touched, or is
   * gone.
   */
  async deleteUntouched(uid: string, before: string): Promise<boolean> {
    const chat = await this.chats.findChatByUid(uid);
    if (!chat) return false;
    await this.workspaces.intendDiscard(uid);
    if ((await this.chats.deleteChat(uid, before)) !== 'deleted') return false;
    const { id: chat_id, tenant_id } = chat;
    const detail = { cause: 'retention' };
    await this.audit.note({ tenant_id, user_id: 'system' }, 'chat.deleted', { chat_id, detail });
    this.noteChange(chat);
    await this.leftovers.removeOf(uid);
    return true;
  }

  private noteChange({ uid: chat_uid, tenant_id, id, owner, visibility }: ChatRow): void {
    this.bus.noteChange({ chat_uid, tenant_id, was: { id, owner, visibility } });
  }

  /** Queued interactions first, so that none is promoted meanwhile. */
  private async stopActive(
    chatUid: string,
    { user_id, limit_ms }: { user_id: string; limit_ms: number },
  ): Promise<boolean> {
    const unfinished = (await this.interactions.listUnfinished(chatUid)).reverse();
    for (const row of unfinished)
      await this.cancellation.request(row, 'The chat was deleted.', user_id);
    const ended = await Promise.all(
      unfinished.map(({ id }) => this.waitForEnd.of(id, { limit_ms })),
    );
    return ended.every(Boolean);
  }

  /** Readers, on any process, may lack the last event of an interaction that has just ended. */
  private async waitForReaders(chatUid: string): Promise<void> {
    const latest = { chat_uid: chatUid, superseded: true, limit: MAX_JUST_ENDED };
    const ended = (await this.interactions.listInteractions(latest)).filter(({ status }) =>
      isFinal(status),
    );
    await Promise.all(ended.map((each) => this.waitForEnd.untilRead(each.id)));
  }
}

function stillRunning(id: string): AppError {
  return new AppError(
    'unavailable',
    'chat_still_running',
    `An interaction of the chat ${id} has not stopped yet. Retry shortly.`,
  );
}
