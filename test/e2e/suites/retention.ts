import { jest } from '@jest/globals';
import type { AuditEntry } from '../../../src/audit/audit-entry.js';
import type { ApiClient } from '../../support/client/api-client.js';
import { eventually } from '../../support/eventually.js';
import { LOCAL } from '../../support/store/chat-parts.js';
import { script } from '../../support/model/scripted-answers.js';
import { MovableClock } from '../../support/movable-clock.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';
import { masterKey } from '../../support/store/master-key.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ASKS = script({ calls: [{ name: 'calculator', arguments: { expression: '6*7' } }] });

export function describeRetention(servers: Servers): void {
  describe('RETENTION_DAYS', () => {
    withPeople(servers, { RETENTION_DAYS: '30', PARK_AFTER_MS: '0' }, (server, person) => {
      const exists = async (chat: string): Promise<boolean> =>
        (await server.api.get(`/chats/${chat}`)).status === 200;

      it('removes chats that were not touched, and none that waits or ended since', async () => {
        await server.api.say('old', script({ text: 'Old.' }));
        await server.api.post('/chats', { id: 'old-empty' });
        await server.api.post('/chats', { id: 'changed' });
        const waits = await person.say('waits', ASKS);
        const { approval_id } = await waits.record('APPROVAL_REQUIRED');
        server.clock.pass(20 * DAY_MS);
        await server.api.say('new', script({ text: 'New.' }));
        await server.api.patch('/chats/changed', { title: 'Changed' });
        server.clock.pass(11 * DAY_MS);
        await eventually(async () => !(await exists('old')) && !(await exists('old-empty')));
        await person.approve(waits.of, approval_id);
        expect((await waits.end()).records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        await server.api.post('/chats', { id: 'old-later' });
        server.clock.pass(29 * DAY_MS);
        await eventually(async () => !(await exists('new')) && !(await exists('changed')));
        expect([await exists('waits'), await exists('old-later')]).toEqual([true, true]);
        server.clock.pass(2 * DAY_MS);
        await eventually(async () => !(await exists('waits')) && !(await exists('old-later')));
        const chats = ['changed', 'new', 'old', 'old-empty', 'old-later', 'waits'];
        await eventually(async () => (await removalsOf(server.api)).length === chats.length);
        const removed = await removalsOf(server.api);
        expect(
          removed.map(({ chat_id }) => chat_id ?? '').toSorted((a, b) => (a < b ? -1 : 1)),
        ).toEqual(chats);
        for (const { user_id, detail } of removed)
          expect([user_id, detail]).toEqual(['system', { cause: 'retention' }]);
      });
    });

    (servers.store.fault ? it.skip : it)('removes each chat once, of two processes', async () => {
      const opened = await servers.open();
      const clock = new MovableClock();
      const log: string[] = [];
      const options = { env: { RETENTION_DAYS: '30' }, clock, log };
      const here = await servers.start(opened.stores, options);
      const there = await servers.start(opened.stores, { ...options, fake: here.fake });
      try {
        const ids = Array.from({ length: 6 }, (_, n) => `old-${n}`);
        for (const id of ids) await here.api.post('/chats', { id });
        clock.skipsSleep = true;
        clock.pass(31 * DAY_MS);
        await eventually(async () => (await removalsOf(there.api)).length >= ids.length);
        await Promise.all([here.close(), there.close()]);
        const trail = await opened.stores.audit.list({ tenant_id: 'default', limit: 100 });
        const removed = trail.filter(({ action }) => action === 'chat.deleted');
        expect(
          removed.map(({ chat_id }) => chat_id ?? '').toSorted((a, b) => (a < b ? -1 : 1)),
        ).toEqual(ids);
        expect(
          log
            .filter((line) => !/"context":"(Auth|Sandbox)"/.test(line)) // said at the start
            .filter((line) => /"level":"(warn|error|fatal)"|not completed/.test(line)),
        ).toEqual([]);
      } finally {
        await here.fake.stop();
        await opened.close();
      }
    });

    (servers.store.fault ? it.skip : it)('goes on after a chat that can’t be removed', async () => {
      const opened = await servers.open();
      const clock = new MovableClock();
      const log: string[] = [];
      const key = masterKey(1);
      const env = { RETENTION_DAYS: '30', ENCRYPTION_KEYS: `k1:${key}` };
      const server = await servers.start(opened.stores, { env, clock, log });
      const { chats } = opened.stores;
      const rowOf = async (id: string) => (await chats.findChat(id, LOCAL))!;
      try {
        for (const id of ['unreadable', 'stuck', 'last'])
          await server.api.post('/chats', { id, title: id });
        const { uid, title, updated_at } = await rowOf('unreadable');
        const damaged = title!.replace(/.{8}$/, 'AAAAAAA=');
        await chats.updateChat(uid, { title: damaged, updated_at });
        const stuck = await rowOf('stuck');
        const deleteChat = chats.deleteChat.bind(chats);
        jest
          .spyOn(chats, 'deleteChat')
          .mockImplementation((of, before) =>
            of === stuck.uid ? Promise.reject(new Error('No.')) : deleteChat(of, before),
          );
        clock.skipsSleep = true;
        clock.pass(31 * DAY_MS);
        await eventually(async () => (await removalsOf(server.api)).length === 2);
        const removed = (await removalsOf(server.api)).map(({ chat_id }) => chat_id);
        expect(new Set(removed)).toEqual(new Set(['unreadable', 'last']));
        await server.close();
        const warned = log.filter(
          (line) => line.includes('RETENTION_DAYS') && /"level":"warn"/.test(line),
        );
        const each = new Set(warned.map((line) => JSON.parse(line).message)); // of each process
        expect([...each]).toEqual([expect.stringContaining(stuck.uid)]);
        if (!servers.store.isCluster) expect(warned).toHaveLength(1);
      } finally {
        jest.restoreAllMocks();
        await server.fake.stop();
        await opened.close();
      }
    });
  });
}

async function removalsOf(api: ApiClient): Promise<AuditEntry[]> {
  const { items } = (await api.get('/audit?limit=200')).body as { items: AuditEntry[] };
  return items.filter(({ action }) => action === 'chat.deleted');
}
