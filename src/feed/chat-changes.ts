import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { Config } from '../config/config.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import type { ChatHint } from '../event-log/live/live-bus.js';
import { batchesOf } from '../kernel/async/batches.js';
import { Clock } from '../kernel/clock.js';
import { Periodic } from '../kernel/async/periodic.js';
import { FileCatalog } from '../files/file-catalog.js';
import { outsideTenants } from '../kernel/tenant-scope.js';
import { ChatStore, MAX_STATES } from '../persistence/chat.store.js';
import type { ChatState } from '../persistence/rows/chat-state.js';
import { TaskStore } from '../tasks/task-store.js';
import { ChangeDetails, isSame, MAX_FILES } from './change-details.js';
import type { ChatChange, KnownChat } from './change-details.js';
import { Known } from './known-chats.js';
import type { Task } from '../protocol/wire/task.js';

/** Maximum transfer time of a hint between processes, in milliseconds; after that it was lost. */
const ARRIVAL_MS = 250;
/** A new chat counts as new for so long, whatever the clocks of the processes say. */
const NEW_MS = 60_000;

/** A chat that has to be read. */
interface Due {
  /** Undefined: no hint names it. */
  hint?: ChatHint;
  /** Found by a comparison: the hint was lost. */
  isLate: boolean;
  readonly waiters: { resolve(): void; reject(error: unknown): void }[];
}

/**
 * Tells the streams of this process what changes in chats. The store is the authority: a hint of
 * the bus makes this service read the chat and compare it with what it knew. Each heartbeat
 * compares all chats that it knows, so that a lost hint is noticed; its change is `isLate`.
 */
@Injectable()
export class ChatChanges implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly known = new Known();
  private readonly ofChat = new Map<string, Set<Subscriber<ChatChange>>>();
  private readonly ofTenant = new Map<string, Set<Subscriber<ChatChange>>>();
  private readonly due = new Map<string, Due>();
  private reading: Promise<void> | undefined;
  private readonly rounds: Periodic;
  private stopListening = (): void => {};

  constructor(
    private readonly chats: ChatStore,
    private readonly tasks: TaskStore,
    private readonly files: FileCatalog,
    private readonly details: ChangeDetails,
    private readonly bus: LiveBus,
    config: Config,
    private readonly clock: Clock,
  ) {
    const run = (): Promise<void> => this.checkAll();
    this.rounds = new Periodic(clock, { name: 'Feed', every_ms: config.heartbeatMs, run });
  }

  onApplicationBootstrap(): void {
    this.stopListening = this.bus.onChange((hint) => this.onHint(hint));
    this.rounds.start();
  }

  onApplicationShutdown(): void {
    this.stopListening();
    void this.rounds.stop();
  }

  /** Changes of one chat, its task board included. Never completes or fails. */
  ofOne(uid: string): Observable<ChatChange> {
    return this.watch(this.ofChat, uid, () => {
      const state = this.known.find(uid)?.state;
      if (!state || !this.ofTenant.has(state.tenant_id)) this.known.forget(uid);
    });
  }

  /** Changes of all chats of a tenant, without their task boards. Never completes or fails. */
  ofAll(tenantId: string): Observable<ChatChange> {
    return this.watch(this.ofTenant, tenantId, () =>
      this.known.forgetTenant(tenantId, (uid) => this.ofChat.has(uid)),
    );
  }

  /**
   * The states of those of the chats that exist. Every later change of them is told, maybe also
   * some that the states have already.
   */
  async know(uids: readonly string[]): Promise<Map<string, ChatState>> {
    const unknown = uids.filter((uid) => {
      const chat = this.known.find(uid);
      return !chat || (this.ofChat.has(uid) && !chat.tasks);
    });
    if (unknown.length > 0) await Promise.all(unknown.map((uid) => this.readOnce(uid)));
    return new Map(
      uids.flatMap((uid) => {
        const chat = this.known.find(uid);
        return chat ? [[uid, chat.state] as const] : [];
      }),
    );
  }

  /** Chats of a tenant of which a change may be missed unless they are known. */
  listLive(tenantId: string): Promise<string[]> {
    return this.chats.listLive([tenantId], this.newSince());
  }

  /** Compares all that is known with the store. */
  check(): Promise<void> {
    return this.rounds.runNow();
  }

  private async checkAll(): Promise<void> {
    if (this.ofChat.size + this.ofTenant.size === 0) return;
    const suspects = await outsideTenants(() => this.listSuspects());
    if (suspects.size > 0) await delay(ARRIVAL_MS, undefined, { ref: false });
    for (const [uid, before] of suspects)
      if (this.known.find(uid) === before && !this.due.has(uid)) this.add(uid).isLate = true;
    await this.read();
  }

  private newSince(): string {
    return new Date(this.clock.now().getTime() - NEW_MS).toISOString();
  }

  private onHint(hint: ChatHint | undefined): void {
    if (!hint) return void this.check();
    const { chat_uid, tenant_id } = hint;
    if (!this.ofChat.has(chat_uid) && !this.ofTenant.has(tenant_id ?? '')) return;
    this.add(chat_uid).hint = hint;
    this.read().catch(() => {}); // the next check tries again
  }

  private add(uid: string): Due {
    const due = this.due.get(uid) ?? { isLate: false, waiters: [] };
    this.due.set(uid, due);
    return due;
  }

  private readOnce(uid: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.add(uid).waiters.push({ resolve, reject });
      this.read().catch(() => {}); // the waiters are told
    });
  }

  /** Reads one batch after the other, so that changes are told in their order. */
  private read(): Promise<void> {
    // for the readers of all tenants, whichever of them asks
    this.reading ??= outsideTenants(() => this.readAll()).finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readAll(): Promise<void> {
    while (this.due.size > 0) {
      const batch = new Map([...this.due].slice(0, MAX_STATES));
      for (const uid of batch.keys()) this.due.delete(uid);
      try {
        await this.readBatch(batch);
      } catch (error) {
        for (const [uid, { waiters, hint }] of batch) {
          for (const waiter of waiters) waiter.reject(error);
          if (hint) this.add(uid).isLate = true;
        }
        throw error;
      }
    }
  }

  private async readBatch(batch: ReadonlyMap<string, Due>): Promise<void> {
    const now = await this.readKnown([...batch.keys()]);
    for (const [uid, { hint, isLate, waiters }] of batch) {
      const before = this.known.find(uid);
      const after = now.get(uid);
      if (hint || isLate || before) await this.compare(uid, { before, after, hint, isLate });
      this.keep(uid, after);
      for (const waiter of waiters) waiter.resolve();
    }
  }

  private async compare(
    uid: string,
    seen: Pick<ChatChange, 'before' | 'after' | 'isLate'> & { readonly hint: ChatHint | undefined },
  ): Promise<void> {
    const { before, after, hint, isLate } = seen;
    const tenantId = (after ?? before)?.state.tenant_id ?? hint?.tenant_id ?? '';
    const listeners = [...(this.ofChat.get(uid) ?? []), ...(this.ofTenant.get(tenantId) ?? [])];
    if (listeners.length === 0) return;
    const was = hint?.was && { ...hint.was, tenant_id: tenantId };
    const isWatched = this.ofChat.has(uid);
    const change = await this.details.of({ uid, before, after, was, isLate, isWatched });
    if (change) for (const listener of listeners) listener.next(change);
  }

  private keep(uid: string, after: KnownChat | undefined): void {
    const isWanted = after && (this.ofChat.has(uid) || this.ofTenant.has(after.state.tenant_id));
    if (isWanted) this.known.set(uid, after, (each) => this.ofChat.has(each));
    else this.known.forget(uid);
  }

  /** Chats that differ from what is known of them, with that. */
  private async listSuspects(): Promise<Map<string, KnownChat | undefined>> {
    const tenants = [...this.ofTenant.keys()];
    const live = tenants.length > 0 ? await this.chats.listLive(tenants, this.newSince()) : [];
    const uids = [...this.known.uids(), ...this.ofChat.keys()];
    const all = [...new Set([...uids, ...live])];
    const suspects = new Map<string, KnownChat | undefined>();
    for (const batch of batchesOf(all, MAX_STATES)) {
      const before = new Map(batch.map((uid) => [uid, this.known.find(uid)]));
      const now = await this.readKnown(batch);
      for (const [uid, chat] of before) if (!isSame(chat, now.get(uid))) suspects.set(uid, chat);
    }
    return suspects;
  }

  private async readKnown(uids: readonly string[]): Promise<Map<string, KnownChat>> {
    const watched = uids.filter((uid) => this.ofChat.has(uid));
    const [states, boards, newest] = await Promise.all([
      this.chats.readStates(uids),
      watched.length > 0 ? this.tasks.listBrief(watched) : new Map<string, Task[]>(),
      watched.length > 0 ? this.files.findNewest(watched, MAX_FILES) : new Map<string, string[]>(),
    ]);
    return new Map(
      [...states].map(([uid, state]) => [
        uid,
        {
          state,
          tasks: this.ofChat.has(uid) ? (boards.get(uid) ?? []) : undefined,
          newest_files: newest.get(uid),
        },
      ]),
    );
  }

  private watch(
    watchers: Map<string, Set<Subscriber<ChatChange>>>,
    key: string,
    onLast: () => void,
  ): Observable<ChatChange> {
    return new Observable((reader) => {
      const readers = watchers.get(key) ?? new Set();
      watchers.set(key, readers.add(reader));
      return () => {
        readers.delete(reader);
        if (readers.size > 0 || watchers.get(key) !== readers) return;
        watchers.delete(key);
        onLast();
      };
    });
  }
}
