import type { InteractionRow } from '../../src/persistence/rows/interaction-row.js';
import type { StartOutcome, StartQuota } from '../../src/persistence/rows/start-rows.js';
import type { Viewer } from '../../src/persistence/viewer.js';
import type { Usage } from '../../src/protocol/interaction.js';
import type { UsageQuery, UsageStore } from '../../src/quotas/usage-store.js';
import { chatOf, uidOf } from '../support/store/chat-parts.js';
import type { WholeStore } from '../support/store/whole-store.js';
import {
  chatId,
  endBatch,
  HELD,
  newBatch,
  newEnd,
  newStart,
} from './interaction-store/fixtures.js';
import type { StartOverrides } from './interaction-store/fixtures.js';

export interface OpenedUsage {
  readonly store: WholeStore;
  readonly usage: UsageStore;
  close(): Promise<void>;
}

/** Starts of now: stores forget those of deleted chats after a day. */
const NOW = Date.now();
const at = (second: number): string => new Date(NOW + second * 1000).toISOString();
const FAILED = { status: 'FAILED', error: { code: 'crash_loop', message: 'Lost.' } } as const;

const MOST = Number.MAX_SAFE_INTEGER;

/** Every test has tenants of its own. */
export function usageStoreContract(name: string, open: () => Promise<OpenedUsage>): void {
  describe(`${name} as a UsageStore`, () => {
    let opened: OpenedUsage;
    let tenants = 0;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const newTenant = (): Viewer => {
      return { tenant_id: `${name}-${++tenants}`, user_id: 'ann', is_admin: false };
    };
    const start = (viewer: Viewer, quota: StartQuota, extra: StartOverrides = {}) => {
      const wanted = newStart({ viewer, lease: HELD, created_at: at(0), ...extra });
      return opened.store.startInteraction({ ...wanted, quota });
    };
    const begun = (outcome: StartOutcome): InteractionRow => {
      if (outcome.outcome === 'started' || outcome.outcome === 'queued') return outcome.interaction;
      throw new Error(`The start was ${outcome.outcome}.`);
    };
    const end = (id: string, extra: Parameters<typeof newEnd>[1] = {}) =>
      opened.store.append([endBatch(id, 2, { end: newEnd('done', extra) })]);
    const exceeded = (quota: string, oldest: string | null = null) => ({
      ...{ outcome: 'quota_exceeded', quota, oldest },
    });

    describe('runs', () => {
      it('are counted until they end, of one tenant only', async () => {
        const [ann, bob] = [newTenant(), newTenant()];
        const first = begun(await start(ann, { runs: 2 }));
        begun(await start(ann, { runs: 2 }));
        expect(await start(ann, { runs: 2 })).toEqual(exceeded('QUOTA_RUNS'));
        begun(await start(bob, { runs: 2 }));
        await end(first.id);
        begun(await start(ann, { runs: 2 }));
        expect(await start(ann, { runs: 2 })).toEqual(exceeded('QUOTA_RUNS'));
      });

      it('of a refused start leave no chat behind, and change none', async () => {
        const ann = newTenant();
        const { chat_id } = begun(await start(ann, { runs: 1 }));
        const before = await opened.store.findChat(chat_id, ann);
        const unknown = chatId();
        await start(ann, { runs: 1 }, { chat_id: unknown });
        await start(ann, { runs: 1 }, { chat_id, on_conflict: 'enqueue' });
        expect(await opened.store.findChat(unknown, ann)).toBeUndefined();
        expect(await opened.store.findChat(chat_id, ann)).toEqual(before);
        expect(await opened.store.listUnfinished(before!.uid)).toHaveLength(1);
      });

      it('include queued interactions, and not parked ones until they are woken', async () => {
        const ann = newTenant();
        const asking = begun(await start(ann, { runs: 2 }));
        const second = { chat_id: asking.chat_id, on_conflict: 'enqueue' as const };
        begun(await start(ann, { runs: 2 }, second));
        expect(await start(ann, { runs: 2 })).toEqual(exceeded('QUOTA_RUNS'));
        const lease = { interaction_id: asking.id, epoch: 1 };
        await opened.store.append([newBatch(asking.id, [2, 2], { status: 'WAITING_INPUT' })]);
        expect(await start(ann, { runs: 2 })).toEqual(exceeded('QUOTA_RUNS'));
        expect(await opened.store.park({ ...lease, signals: asking.signals })).toBe(true);
        const third = begun(await start(ann, { runs: 2 }));
        expect(await start(ann, { runs: 2 })).toEqual(exceeded('QUOTA_RUNS'));
        await end(third.id);
        await opened.store.requestCancel(asking, 'Enough.');
        expect(await start(ann, { runs: 2 })).toEqual(exceeded('QUOTA_RUNS'));
      });

      it('are checked after the key, the edited interaction and the busy chat', async () => {
        const ann = newTenant();
        const idempotency = { key: 'k', fingerprint: 'f' };
        const row = begun(await start(ann, { runs: 1 }, { idempotency }));
        const { chat_id, id } = row;
        const again = await start(ann, { runs: 1 }, { chat_id, idempotency });
        expect(again).toMatchObject({ outcome: 'repeated', interaction: { id } });
        expect(await start(ann, { runs: 1 }, { chat_id })).toMatchObject({ outcome: 'busy' });
        const edit = { chat_id, edited_from: 'int_unknown' };
        expect(await start(ann, { runs: 1 }, edit)).toEqual({ outcome: 'unknown_edit' });
      });

      it('are exact for starts at the same time', async () => {
        const ann = newTenant();
        const starts = Array.from({ length: 20 }, () => start(ann, { runs: 5 }));
        const outcomes = (await Promise.all(starts)).map(({ outcome }) => outcome);
        expect(outcomes.filter((outcome) => outcome === 'started')).toHaveLength(5);
        expect(outcomes.filter((outcome) => outcome === 'quota_exceeded')).toHaveLength(15);
      });
    });

    describe('starts', () => {
      const window = (second: number) => ({ starts: { limit: 2, since: at(second - 60) } });

      it('are counted in a window, ended and deleted ones too, of one tenant only', async () => {
        const [ann, bob] = [newTenant(), newTenant()];
        const row = begun(await start(ann, window(0)));
        await end(row.id);
        expect(await opened.store.deleteChat(row.chat_uid)).toBe('deleted');
        begun(await start(ann, window(10), { created_at: at(10) }));
        expect(await start(ann, window(59), { created_at: at(59) })).toEqual(
          exceeded('QUOTA_STARTS_PER_MINUTE', at(0)),
        );
        begun(await start(bob, window(59), { created_at: at(59) }));
        begun(await start(ann, window(60), { created_at: at(60) }));
        expect(await start(ann, window(61), { created_at: at(61) })).toEqual(
          exceeded('QUOTA_STARTS_PER_MINUTE', at(10)),
        );
      });

      it('include retries, which need their quota too', async () => {
        const ann = newTenant();
        const row = begun(await start(ann, {}));
        await end(row.id, FAILED);
        const retry = (second: number, quota: StartQuota) =>
          opened.store.retryInteraction({
            ...{ interaction_id: row.id, tenant_id: ann.tenant_id, codes: ['crash_loop'] },
            resumed: { type: 'RESUMED', attempt: 1, reason: 'retried' },
            ...{ at: at(second), quota },
          });
        const busy = begun(await start(ann, {}));
        expect(await retry(1, { runs: 1 })).toEqual(exceeded('QUOTA_RUNS'));
        await end(busy.id);
        expect(await opened.store.findActiveInteraction(row.chat_uid)).toBeUndefined();
        expect(await retry(70, { runs: 1 })).toMatchObject({ outcome: 'retried' });
        begun(await start(ann, window(71), { created_at: at(71) }));
        expect(await start(ann, window(72), { created_at: at(72) })).toEqual(
          exceeded('QUOTA_STARTS_PER_MINUTE', at(70)),
        );
      });
    });

    it('sums the tokens of the interactions since a time, deleted ones too', async () => {
      const [ann, bob] = [newTenant(), newTenant()];
      const use = async (viewer: Viewer, second: number, input_tokens: number) => {
        const row = begun(await start(viewer, {}, { created_at: at(second) }));
        const usage = { input_tokens, output_tokens: 1 };
        await opened.store.append([newBatch(row.id, [2, 2], { usage })]);
        return row;
      };
      await use(ann, -10, 1000);
      await use(bob, 0, 500);
      await use(ann, 0, 20);
      const row = await use(ann, 5, 7);
      expect(await opened.usage.countTokens(ann.tenant_id, at(0))).toBe(29);
      await opened.store.append([endBatch(row.id, 3)]);
      expect(await opened.store.deleteChat(row.chat_uid)).toBe('deleted');
      expect(await opened.usage.countTokens(ann.tenant_id, at(0))).toBe(29);
      expect(await opened.usage.countTokens(ann.tenant_id, at(1))).toBe(8);
    });

    it('sums the usage of a chat, and leaves out what nothing has', async () => {
      const ann = newTenant();
      const first = begun(await start(ann, {}));
      const append = (id: string, usage: Usage) =>
        opened.store.append([{ ...endBatch(id, 2), usage }]);
      await append(first.id, { input_tokens: 10, output_tokens: 1 });
      const plain = { input_tokens: 10, output_tokens: 1 };
      expect(await opened.usage.sumOfChat(first.chat_uid)).toEqual(plain);
      const { id } = begun(await start(ann, {}, { chat_id: first.chat_id }));
      const parts = { cached_tokens: 0, cache_write_tokens: 2, reasoning_tokens: 1 };
      await append(id, { ...plain, ...parts, cost_usd: 0.1 });
      const third = begun(await start(ann, {}, { chat_id: first.chat_id }));
      await append(third.id, { ...plain, cost_usd: 0.2 });
      begun(await start(ann, {}));
      expect(await opened.usage.sumOfChat(first.chat_uid)).toEqual({
        ...{ input_tokens: 30, output_tokens: 3 },
        ...{ ...parts, cost_usd: 0.3 },
      });
    });

    describe('sums of usage', () => {
      const DAY_S = 86_400;
      const day = (days: number): string => at(days * DAY_S).slice(0, 10);
      const use = async (viewer: Viewer, days: number, usage: Usage) => {
        const row = begun(await start(viewer, {}, { created_at: at(days * DAY_S) }));
        await opened.store.append([{ ...endBatch(row.id, 2), usage }]);
        return row;
      };
      const sums = (of: Partial<UsageQuery>) =>
        opened.usage.sumUsage({
          ...{ tenant_id: undefined, by: 'day', since: day(-9), until: day(0), limit: 100 },
          ...of,
        });
      const one = { input_tokens: 10, output_tokens: 1 };
      const costly = { ...one, cached_tokens: 0, cache_write_tokens: 4, cost_usd: 0.1 };

      it('are of each day, those of deleted chats included, the latest first', async () => {
        const ann = newTenant();
        const { tenant_id } = ann;
        await use(ann, -1, one);
        const tripled = { input_tokens: 30, output_tokens: 3 };
        const rows = [await use(ann, 0, costly), await use(ann, 0, one), await use(ann, 0, costly)];
        await use(ann, -10, one);
        const expected = [
          {
            ...{ tenant_id, key: day(0), interactions: 3 },
            usage: { ...costly, ...tripled, cache_write_tokens: 8, cost_usd: 0.2 },
            unpriced_tokens: 11,
          },
          { tenant_id, key: day(-1), interactions: 1, usage: one, unpriced_tokens: 11 },
        ];
        expect(await sums({ tenant_id })).toEqual(expected);
        for (const { chat_uid } of rows) {
          await opened.store.deleteChat(chat_uid);
          expect(await sums({ tenant_id })).toEqual(expected);
        }
        expect(await sums({ tenant_id, limit: 1 })).toEqual(expected.slice(0, 1));
        expect(await sums({ tenant_id, until: day(-1) })).toEqual(expected.slice(1));
      });

      it('are of each model or user of a tenant, the costly ones first', async () => {
        const ann = newTenant();
        const { tenant_id } = ann;
        await use(ann, 0, one);
        await use({ ...ann, user_id: 'ben' }, 0, one);
        const { chat_uid } = await use({ ...ann, user_id: 'cleo' }, -1, costly);
        await use({ ...ann, user_id: 'ben' }, -2, one);
        await opened.store.deleteChat(chat_uid);
        const ofUsers = (await sums({ tenant_id, by: 'user' })).map(({ key }) => key);
        expect(ofUsers).toEqual(['cleo', 'ben', 'ann']);
        const usage = { ...costly, input_tokens: 40, output_tokens: 4 };
        expect(await sums({ tenant_id, by: 'model' })).toEqual([
          { tenant_id, key: 'demo/script', interactions: 4, usage, unpriced_tokens: 33 },
        ]);
      });

      it('count each turn at its model, before and after the chat is deleted', async () => {
        const [ann, bob] = [newTenant(), newTenant()];
        const { tenant_id } = ann;
        const rows = [begun(await start(ann, {})), begun(await start(ann, {}))];
        const other = begun(await start(bob, {}));
        const total = { ...costly, input_tokens: 30, output_tokens: 3 };
        const [dear, free] = [
          { ...costly, model: 'a/dear' },
          { ...one, model: 'b/free' },
        ];
        const usage_by_model = [
          { ...dear, unpriced_tokens: 0 },
          { ...free, input_tokens: 20, output_tokens: 2, unpriced_tokens: 22 },
        ];
        const first = { usage: one, usage_by_model: [{ ...free, unpriced_tokens: 11 }] };
        await opened.store.append([{ ...newBatch(rows[0]!.id, [2, 2]), ...first }]);
        await opened.store.append([{ ...endBatch(rows[0]!.id, 3), usage: total, usage_by_model }]);
        await opened.store.append([
          { ...endBatch(rows[1]!.id, 2), usage: one },
          { ...endBatch(other.id, 2), ...first },
        ]);
        const ofFree = { ...one, input_tokens: 20, output_tokens: 2 };
        const models = [
          { tenant_id, key: 'a/dear', interactions: 1, usage: costly, unpriced_tokens: 0 },
          { tenant_id, key: 'b/free', interactions: 1, usage: ofFree, unpriced_tokens: 22 },
          { tenant_id, key: 'demo/script', interactions: 1, usage: one, unpriced_tokens: 11 },
        ];
        const all = { ...total, input_tokens: 40, output_tokens: 4 };
        const whole = { tenant_id, interactions: 2, usage: all, unpriced_tokens: 33 };
        for (const { chat_uid } of [undefined, ...rows].map((row) => row ?? { chat_uid: null })) {
          if (chat_uid !== null) await opened.store.deleteChat(chat_uid);
          expect(await sums({ tenant_id, by: 'model' })).toEqual(models);
          expect(await sums({ tenant_id, by: 'user' })).toEqual([{ ...whole, key: 'ann' }]);
          expect(await sums({ tenant_id })).toEqual([{ ...whole, key: day(0) }]);
        }
        expect(await sums({ tenant_id: bob.tenant_id, by: 'model' })).toMatchObject([
          { tenant_id: bob.tenant_id, key: 'b/free', interactions: 1 },
        ]);
      });

      it('are whole numbers at most, and keep no chat from being deleted', async () => {
        const ann = newTenant();
        const { tenant_id } = ann;
        const most = { input_tokens: MOST, output_tokens: MOST, cost_usd: MOST };
        const row = begun(await start(ann, {}));
        const turns = Array.from({ length: 1100 }, () => {
          return { ...most, model: 'a/odd', unpriced_tokens: MOST };
        });
        const used = { usage: most, usage_by_model: turns };
        await opened.store.append([{ ...endBatch(row.id, 2), ...used }]);
        const other = begun(await start(ann, {}, { chat_id: row.chat_id }));
        await opened.store.append([{ ...endBatch(other.id, 2), ...used }]);
        expect(await opened.usage.sumOfChat(row.chat_uid)).toEqual(most);
        const sum = { tenant_id, key: 'a/odd', usage: most, unpriced_tokens: MOST };
        expect(await sums({ tenant_id, by: 'model' })).toMatchObject([sum]);
        expect(await opened.store.deleteChat(row.chat_uid)).toBe('deleted');
        expect(await sums({ tenant_id, by: 'model' })).toMatchObject([sum]);
      });

      it('are of all tenants unless one is named', async () => {
        const [ann, bob, cleo] = [newTenant(), newTenant(), newTenant()];
        await use(ann, 0, one);
        await use(bob, 0, costly);
        const { chat_uid } = await use(cleo, 0, { ...one, output_tokens: 2 });
        await opened.store.deleteChat(chat_uid);
        const all = (await sums({ since: day(0) })).map(({ tenant_id }) => tenant_id);
        const own = [ann, bob, cleo].map(({ tenant_id }) => tenant_id);
        expect(all.filter((tenant) => own.includes(tenant))).toEqual([
          ...[bob.tenant_id, cleo.tenant_id, ann.tenant_id],
        ]);
      });
    });

    it('sums the bytes of ended interactions, until their chat is deleted', async () => {
      const [ann, bob] = [newTenant(), newTenant()];
      const { usage } = opened;
      const row = begun(await start(ann, {}, { user_message: 'ä'.repeat(1000) }));
      const added_messages = [{ role: 'user', content: 'ä'.repeat(5000) }] as const;
      await opened.store.append([newBatch(row.id, [2, 9])]);
      await opened.store.append([endBatch(row.id, 10, { end: newEnd('x', { added_messages }) })]);
      const { total } = await usage.countBytes(ann.tenant_id);
      expect(total).toBeGreaterThan(12_000);
      expect(total).toBeLessThan(24_000);
      expect((await usage.countBytes(bob.tenant_id)).total).toBe(0);
      await opened.store.deleteChat(row.chat_uid);
      expect((await usage.countBytes(ann.tenant_id)).total).toBe(0);
    });

    it('sums the bytes of what chats begin with: messages, settings, metadata', async () => {
      const ann = newTenant();
      const { tenant_id, user_id: owner } = ann;
      const chat = chatOf({ id: chatId(), created_at: at(0) });
      const messages = [{ role: 'user', content: 'ä'.repeat(5000) }] as const;
      const uid = uidOf(`${tenant_id}/messages`);
      const settings = { system_prompt: 'x'.repeat(2000) };
      const metadata = { note: 'x'.repeat(1000) };
      const whole = { ...chat, uid, tenant_id, owner, messages, settings, metadata };
      await opened.store.createChat(whole);
      const { total } = await opened.usage.countBytes(tenant_id);
      expect(total).toBeGreaterThan(13_000);
      expect(total).toBeLessThan(20_000);
      await opened.store.deleteChat(uid);
      expect((await opened.usage.countBytes(tenant_id)).total).toBe(0);
    });
  });
}
