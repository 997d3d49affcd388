import { uidOf } from '../../support/store/chat-parts.js';
import type { WholeStore } from '../../support/store/whole-store.js';
import { memoryStore } from '../../support/store/whole-store.js';
import type { Settled, Settlement } from '../../../src/persistence/rows/request-rows.js';
import type { InteractionRow } from '../../../src/persistence/rows/interaction-row.js';
import type { AppendBatch } from '../../../src/persistence/rows/append-rows.js';
import { isFinal } from '../../../src/protocol/interaction.js';
import {
  at,
  chatId,
  HELD,
  interactionId,
  newBatch,
  newEnd,
  newRecord,
  newRequest,
  newStart,
  readAll,
} from './fixtures.js';
import type { Operation, Target } from './model-operations.js';
import { CHATS } from './model-operations.js';
import type { StoreUnderTest } from './store-under-test.js';

type Of<K extends Operation['kind']> = Extract<Operation, { readonly kind: K }>;

type Touch = Extract<Operation, { readonly target: Target }>;

/**
 * One sequence of operations on chats of its own, done to the store and to the one in memory, whose
 * answers must be the same.
 */
export class ModelWalk {
  private readonly model = memoryStore();
  private readonly chats = Array.from({ length: CHATS }, () => chatId());
  private readonly lastBatch = new Map<string, AppendBatch>();
  private now = '';

  constructor(private readonly tested: StoreUnderTest) {}

  async run(operation: Operation, now: string): Promise<void> {
    this.now = now;
    switch (operation.kind) {
      case 'start':
        return this.start(operation);
      case 'append':
        return this.append(operation);
      case 'settle':
        return this.settle(operation);
      case 'park':
        return this.park(operation);
      case 'promote':
        return this.both((store) => store.promoteQueued(now, uidOf(this.chats[operation.chat]!)));
      case 'delete':
        return this.both((store) => store.deleteChat(uidOf(this.chats[operation.chat]!)));
      case 'restart':
        return this.restart();
      default:
        return this.touch(operation);
    }
  }

  async compareAll(): Promise<void> {
    for (const chat_id of this.chats) {
      await this.both((store) => store.findChat(chat_id));
      await this.both((store) => store.findActiveInteraction(uidOf(chat_id)));
      await this.both((store) => store.listUnfinished(uidOf(chat_id)));
      await this.both((store) => store.listRequests({ chat_uid: uidOf(chat_id), limit: 100 }));
      for (const status of ['pending', 'settled', 'closed'] as const)
        await this.both((store) =>
          store.listRequests({ chat_uid: uidOf(chat_id), status, limit: 3 }),
        );
      for (const superseded of [true, false])
        await this.both((store) =>
          store.listInteractions({ chat_uid: uidOf(chat_id), superseded, limit: 100 }),
        );
      for (const { id } of await this.rows(chat_id)) {
        await this.compareLog(id);
        for (const superseded of [true, false]) {
          const page = { chat_uid: uidOf(chat_id), superseded, limit: 3, before: id };
          await this.both((store) => store.listInteractions(page));
        }
      }
    }
  }

  private async compareLog(id: string): Promise<void> {
    await this.both((store) => readAll(store, id));
    await this.both((store) => store.getPreviousState(id));
    await this.both((store) => store.findAddedMessages([id]));
  }

  private async start({ chat, leased, on_conflict, key, edited }: Of<'start'>): Promise<void> {
    const chat_id = this.chats[chat]!;
    const rows = await this.rows(chat_id);
    const edited_from = edited === null ? undefined : (rows[edited]?.id ?? interactionId());
    const start = newStart({
      ...{ chat_id, created_at: this.now },
      on_conflict: edited_from && on_conflict === 'enqueue' ? 'reject' : on_conflict,
      ...(edited_from && { edited_from }),
      ...(leased && { lease: HELD }),
      ...(key && { idempotency: { key, fingerprint: leased ? 'one' : 'two' } }),
    });
    await this.both((store) => store.startInteraction(start));
  }

  private async append({ chat, stale, texts, asks }: Of<'append'>): Promise<void> {
    const row = await this.model.findActiveInteraction(uidOf(this.chats[chat]!));
    if (!row) return;
    const { id, last_seq } = row;
    const epoch = stale ? row.epoch - 1 : row.epoch;
    const records = texts.map((content, i) => {
      const body = { type: 'MESSAGE', block_id: 'b', content } as const;
      return newRecord(id, last_seq + 1 + i, { epoch, body, hidden: texts });
    });
    const expires_at = last_seq % 2 ? null : at(Date.parse(this.now) % 30);
    const requests = [...new Set(asks)].map((key) => newRequest(last_seq, { key, expires_at }));
    const usage = { input_tokens: last_seq, output_tokens: texts.length };
    const status = requests.length > 0 ? 'WAITING_INPUT' : 'RUNNING';
    await this.write({ interaction_id: id, epoch, records, usage, requests, status });
  }

  private async settle({ chat, nth, by, approval }: Of<'settle'>): Promise<void> {
    const page = { chat_id: this.chats[chat]!, limit: 100 };
    const pending = await this.model.listRequests({ ...page, status: 'pending' });
    const all = await this.model.listRequests(page);
    const request_id = [...pending, ...all][nth]?.id ?? 'input_unknown';
    const settled: Settled =
      by === 'user'
        ? { by: { kind: 'user', user_id: 'ann' } }
        : { by: { kind: 'system' }, cause: by };
    const settlement: Settlement = approval
      ? { kind: 'approval', approved: true, ...settled }
      : { kind: 'input', answer: this.now, ...settled };
    await this.both((store) => store.settleRequest({ request_id, settlement, at: this.now }));
    await this.both((store) => store.findRequest(request_id));
  }

  private async park({ chat, late }: Of<'park'>): Promise<void> {
    const row = await this.model.findActiveInteraction(uidOf(this.chats[chat]!));
    if (!row || !(await this.isHeld(row))) return;
    const { id: interaction_id, epoch } = row;
    const signals = row.signals - (late ? 1 : 0);
    await this.both((store) => store.park({ interaction_id, epoch, signals }));
  }

  private async touch({ kind, target }: Touch): Promise<void> {
    const row = await this.find(target);
    if (!row) return;
    const { id, chat_id, epoch } = row;
    switch (kind) {
      case 'end':
        return this.end(row);
      case 'repeat': {
        const batch = this.lastBatch.get(id);
        // Of a run that was overtaken since, a store may remember that it was written, or say that
        // it is fenced off.
        return batch?.epoch === epoch ? this.write(batch) : undefined;
      }
      case 'acquire':
        return this.both((store) => store.acquireLease(id, HELD));
      case 'release':
        return this.both((store) => store.releaseLease(id, epoch));
      case 'cancel':
        return this.both((store) => store.requestCancel(id, `by ${this.now}`));
      case 'switch':
        return this.both((store) => store.switchHead(uidOf(chat_id), id, this.now));
    }
  }

  /** Only what is active, or held in the queue: nobody else ends anything. */
  private async end(row: InteractionRow): Promise<void> {
    const { id, epoch, last_seq, status } = row;
    if (isFinal(status) || (status === 'QUEUED' && !(await this.isHeld(row)))) return;
    const end = newEnd(id, { completed_at: this.now });
    await this.write({ ...newBatch(id, [last_seq + 1, last_seq + 2], { epoch }), end });
  }

  private async write(batch: AppendBatch): Promise<void> {
    await this.both(async (store) => {
      const [outcome] = await store.append([batch]);
      if (outcome === 'written') this.lastBatch.set(batch.interaction_id, batch);
      return outcome;
    });
  }

  /**
   * A clean one: whether a lease outlives its process, and whether opening promotes what was left
   * waiting, is the store's own affair.
   */
  private async restart(): Promise<void> {
    for (const chat_id of this.chats) {
      await this.both((store) => store.promoteQueued(this.now, uidOf(chat_id)));
      for (const { id, epoch } of await this.rows(chat_id))
        await this.both((store) => store.releaseLease(id, epoch));
    }
    await this.tested.reopen();
  }

  private async both<T>(act: (store: WholeStore) => Promise<T>): Promise<void> {
    const expected = await act(this.model);
    expect(await act(this.tested.store)).toEqual(expected);
  }

  private async isHeld({ id, epoch }: InteractionRow): Promise<boolean> {
    const held = [{ interaction_id: id, epoch }];
    return (await this.model.renewLeases(held, HELD)).length > 0;
  }

  private async find({ chat, which, nth }: Target): Promise<InteractionRow | undefined> {
    const chat_id = this.chats[chat]!;
    if (which === 'active') return this.model.findActiveInteraction(uidOf(chat_id));
    const rows = await this.rows(chat_id);
    const wanted = which === 'any' ? rows : rows.filter(({ status }) => status === 'QUEUED');
    return wanted[nth % Math.max(1, wanted.length)];
  }

  private rows(chat_id: string): Promise<InteractionRow[]> {
    return this.model.listInteractions({ chat_uid: uidOf(chat_id), superseded: true, limit: 100 });
  }
}
