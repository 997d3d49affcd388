import { randomBytes, randomUUID } from 'node:crypto';
import { AppError } from '../../../src/kernel/app-error.js';
import type { RecordStore } from '../../../src/persistence/record.store.js';
import { LOCAL } from '../../support/store/chat-parts.js';
import { LiveWatch } from '../../support/client/live-watch.js';
import { Person } from '../../support/client/person.js';
import { HumanTestModule } from '../../support/runs/human-test.module.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { ruleWith } from '../../support/runs/canaries.js';
import type { ApiClient } from '../../support/client/api-client.js';
import type { TestServer } from '../../support/server/test-server.js';
import type { OpenStore } from '../stores.js';
import type { Servers } from '../servers.js';
import { masterKey } from '../../support/store/master-key.js';

const UNREADABLE = '(This text can’t be read.)';
const question = { name: 'ask_human', arguments: { question: 'Well?' } };
const env = {
  ENCRYPTION_KEYS: `k1:${masterKey(1)}`,
  PARK_AFTER_MS: '0',
  LEASE_TTL_MS: '1500',
};

export function describeChangedData(servers: Servers): void {
  (servers.store.fault ? describe.skip : describe)(
    `Data that was changed in ${servers.store.name}`,
    () => {
      let opened: OpenStore;
      let server: TestServer;
      let api: ApiClient;
      beforeAll(async () => {
        opened = await servers.open();
        server = await servers.start(opened.stores, { env, modules: [HumanTestModule] });
        server.fake.otherwise(playScript);
        ({ api } = server);
      });
      afterAll(async () => {
        await server?.stop();
        await opened?.close();
      });

      const uidOf = async (id: string) => (await opened.stores.chats.findChat(id, LOCAL))!.uid;
      const damageKey = async (chatId: string) => {
        const chat_uid = await uidOf(chatId);
        const key = (await opened.stores.dataKeys.findOfChats([chat_uid]))[0]!.key!;
        const owned = { ...key, chat_uid, tenant_id: LOCAL.tenant_id };
        await opened.stores.dataKeys.replace(owned, { ...key, wrapped: flip(key.wrapped) });
      };
      const itemsOf = async (path: string): Promise<Record<string, unknown>[]> => {
        const { status, body } = await api.get(path);
        expect([status, body.type]).toEqual([200, undefined]);
        return body.items as Record<string, unknown>[];
      };
      const expectError = async (path: string) => {
        const { status, body } = await api.get(path);
        expect([status, body.type]).toEqual([500, '/problems/decryption_failed']);
        expect(JSON.stringify(body)).not.toContain('enc1');
      };

      it('keeps no other chat from the list, and says which texts can’t be read', async () => {
        for (const id of ['one', 'two', 'three'])
          await api.post('/chats', { id, title: `Title ${id}`, metadata: { of: id } });
        const two = (await opened.stores.chats.findChat('two', LOCAL))!;
        const { uid, updated_at } = two;
        await opened.stores.chats.updateChat(uid, { title: flip(two.title!), updated_at });
        const titles = async (path: string) =>
          (await itemsOf(path)).map(({ id, title }) => [id, title]);
        const wanted = [
          ['three', 'Title three'],
          ['two', UNREADABLE],
          ['one', 'Title one'],
        ];
        expect(await titles('/chats?order=created')).toEqual(wanted);
        expect(await titles('/chats?order=created&limit=2')).toEqual(wanted.slice(0, 2));
      });

      it('opens, changes and deletes a chat with texts that can’t be read', async () => {
        const metadata = { of: 'torn' };
        await api.post('/chats', { id: 'torn', title: 'Torn', metadata });
        const { uid, title, updated_at } = (await opened.stores.chats.findChat('torn', LOCAL))!;
        await opened.stores.chats.updateChat(uid, { title: flip(title!), updated_at });
        expect((await api.get('/chats/torn')).body).toMatchObject({ title: UNREADABLE, metadata });
        expect((await api.get('/tasks?chat_id=torn')).status).toBe(200);
        const log = await fetch(`${api.url}/chats/torn/log`, { headers: api.headers });
        expect(await log.text()).toContain(UNREADABLE);
        await api.say('torn', script({ text: 'Hello.' }));
        const patched = await api.patch('/chats/torn', { title: 'Whole' });
        expect([patched.status, patched.body.title]).toEqual([200, 'Whole']);
        await opened.stores.chats.updateChat(uid, { title: flip(title!), updated_at });
        expect((await api.delete('/chats/torn')).status).toBe(204);
        expect((await api.get('/chats/torn')).status).toBe(404);
      });

      it('opens and deletes a chat with a text that names the key of another chat', async () => {
        await api.post('/chats', { id: 'odd', title: 'Odd' });
        const { uid, updated_at } = (await opened.stores.chats.findChat('odd', LOCAL))!;
        const preview = sealedFor(randomUUID());
        await opened.stores.chats.updateChat(uid, { preview, updated_at });
        expect((await itemsOf('/chats')).map(({ id }) => id)).toContain('odd');
        expect((await api.get('/chats/odd')).body).toMatchObject({ title: 'Odd', preview: null });
        expect((await api.delete('/chats/odd')).status).toBe(204);
      });

      it('starts no interaction without the settings and metadata that a chat has', async () => {
        for (const field of ['settings', 'metadata'] as const) {
          await api.post('/chats', { id: field, title: field, [field]: VALUES[field] });
          const row = (await opened.stores.chats.findChat(field, LOCAL))!;
          const { enc } = row[field] as { enc: string };
          const change = { [field]: { enc: flip(enc) }, updated_at: row.updated_at };
          await opened.stores.chats.updateChat(row.uid, change);
          const { status, body } = await api.get(`/chats/${field}`);
          expect([status, body.title, body[field]]).toEqual([200, field, {}]);
          expect(body).not.toHaveProperty('unreadable');
          const started = await api.post(`/chats/${field}/interactions`, { user_message: 'Hi.' });
          expect(started.body.type).toBe('/problems/decryption_failed');
          const changed = await api.patch(`/chats/${field}`, { settings: { max_iterations: 2 } });
          expect(changed.body.type).toBe('/problems/decryption_failed');
          await expectError(`/chats/${field}/log`);
          expect((await api.delete(`/chats/${field}`)).status).toBe(204);
        }
      });

      it('opens and deletes a chat whose data key and first messages can’t be read', async () => {
        await api.post('/chats', { id: 'keyless', messages: [{ role: 'user', content: 'Hi.' }] });
        await damageKey('keyless');
        const other = await servers.start(opened.stores, { env, fake: server.fake });
        try {
          const { status, body } = await other.api.get('/chats/keyless');
          const messages = [{ role: 'user', content: UNREADABLE }];
          expect([status, body.messages]).toEqual([200, messages]);
          expect((await other.api.delete('/chats/keyless')).status).toBe(204);
        } finally {
          await other.close();
        }
      });

      it('refuses an interaction whose data key can’t be read, also its stream', async () => {
        await api.post('/chats', { id: 'whole', title: 'Whole' });
        const reader = await api.say('locked', script({ text: 'Hello.' }));
        const path = `/chats/locked/interactions/${reader.records[0]!.interaction_id}`;
        await damageKey('locked');
        const other = await servers.start(opened.stores, { env, fake: server.fake });
        try {
          for (const url of [path, `${path}/events`]) {
            const { status, body } = await other.api.get(url);
            expect([status, body.type]).toEqual([500, '/problems/decryption_failed']);
          }
        } finally {
          await other.close();
        }
      });

      it('tells readers that the log of an interaction can’t be read, once', async () => {
        const reader = await api.say('sealed', script({ text: 'Hello.' }));
        const { interaction_id: id } = reader.records[0]!;
        const records = withoutEventsOf(id, opened.stores.records);
        const stores = { ...opened.stores, records };
        const other = await servers.start(stores, { env, fake: server.fake });
        try {
          await expectUnreadable(other.api, { chat_id: 'sealed', id });
        } finally {
          await other.close();
        }
      });

      it('tells readers that a record of an interaction was damaged, once', async () => {
        const reader = await api.say('damaged', script({ text: 'Hello.' }));
        const { interaction_id: id } = reader.records[0]!;
        await opened.damage(id, reader.find('ANSWER')!.seq);
        await expectUnreadable(api, { chat_id: 'damaged', id });
        const { status, body } = await api.get(`/chats/damaged/interactions/${id}`);
        expect([status, body.type]).toEqual([500, '/problems/record_damaged']);
        const chat = await api.get('/chats/damaged');
        expect([chat.status, chat.body.interactions[0].id]).toEqual([200, id]);
      });

      it('shows and deletes a task and a rule of a chat that name the key of no chat', async () => {
        await api.post('/chats', { id: 'named' });
        await api.post('/tasks', { chat_id: 'named', title: 'First' });
        const scope = { scope: 'session', scope_id: 'named' };
        const added = await api.post('/permissions/rules', { ...ruleWith('rm'), ...scope });
        expect(added.status).toBe(201);
        const chat_uid = await uidOf('named');
        const { tasks, rules } = opened.stores;
        const task = (await tasks.list(chat_uid))[0]!;
        const renamed = { ...task, title: sealedFor(randomUUID()), version: task.version + 1 };
        expect(await tasks.replace(renamed, { seen: task.version, viewer: LOCAL })).toBe(true);
        const rule = (await rules.find(added.body.id as string, LOCAL))!;
        await rules.remove(rule.id, LOCAL);
        const description = sealedFor(randomUUID());
        await rules.add({ ...rule, description, tenant_id: LOCAL.tenant_id, chat_uid }, 1_000);

        const [shown] = await itemsOf('/tasks?chat_id=named');
        expect(shown).toMatchObject({ id: task.id, title: UNREADABLE });
        const done = await api.patch(`/tasks/${task.id}`, { status: 'completed' });
        expect([done.status, done.body.title]).toEqual([200, UNREADABLE]);
        expect((await api.delete(`/tasks/${task.id}`)).status).toBe(204);
        const listed = await itemsOf('/permissions/rules?limit=200');
        expect(listed.map(({ id }) => id)).not.toContain(rule.id);
        expect((await api.delete(`/permissions/rules/${rule.id}`)).status).toBe(204);
      });

      it('keeps no other task from the board', async () => {
        await api.post('/chats', { id: 'board' });
        for (const title of ['First', 'Second', 'Third'])
          await api.post('/tasks', { chat_id: 'board', title, description: 'Kept' });
        const { tasks } = opened.stores;
        const second = (await tasks.list(await uidOf('board')))[1]!;
        const changed = { ...second, title: flip(second.title), version: second.version + 1 };
        expect(await tasks.replace(changed, { seen: second.version, viewer: LOCAL })).toBe(true);
        const titles = (await itemsOf('/tasks?chat_id=board')).map(({ title }) => title);
        expect(titles).toEqual(['First', UNREADABLE, 'Third']);
        const path = `/tasks/${second.id}`;
        const done = await api.patch(path, { status: 'completed' });
        const shown = { title: UNREADABLE, description: 'Kept', status: 'completed' };
        expect([done.status, done.body]).toEqual([200, expect.objectContaining(shown)]);
        expect((await tasks.find(second.id, LOCAL))!.title).toBe(changed.title);
        expect((await api.patch(path, { title: 'Named' })).body.title).toBe('Named');
        expect((await itemsOf('/tasks?chat_id=board'))[1]).toMatchObject({ title: 'Named' });
        const { version } = (await tasks.find(second.id, LOCAL))!;
        const again = { ...changed, version: version + 1 };
        expect(await tasks.replace(again, { seen: version, viewer: LOCAL })).toBe(true);
        expect((await api.delete(path)).status).toBe(204);
      });

      it('keeps no other file from the list', async () => {
        await api.post('/chats', { id: 'files' });
        const row = {
          ...{ tenant_id: LOCAL.tenant_id, owner: LOCAL.user_id, chat_id: 'files' },
          ...{ mime_type: 'text/plain', size_bytes: 1, sha256: '', chat_uid: await uidOf('files') },
        };
        const { files } = opened.stores;
        const changed = { ...row, id: 'file_changed', filename: sealedFor(row.chat_uid) };
        await files.add({ ...changed, created_at: '2026-01-01T00:00:00.000Z' });
        await files.add({ ...row, id: 'file_plain', filename: 'a.txt', created_at: NOW });
        const names = (await itemsOf('/files?chat_id=files')).map(({ filename }) => filename);
        expect(names).toEqual(['a.txt', UNREADABLE]);
        await expectError('/files/file_changed');
        expect((await api.delete('/files/file_changed')).status).toBe(204);
      });

      it('leaves a rule out of the list, which has the others, and judges no call without it', async () => {
        const added: string[] = [];
        for (const text of ['rm', 'mv', 'cp'])
          added.push((await api.post('/permissions/rules', ruleWith(text))).body.id as string);
        const { rules } = opened.stores;
        const all = await rules.list({ viewer: LOCAL });
        const { tenant_id } = LOCAL;
        const rule = all.find(({ id }) => id === added[1])!;
        await rules.remove(rule.id, LOCAL);
        const changed = { ...rule, description: flip(rule.description!) };
        await rules.add({ ...changed, tenant_id, chat_uid: null }, 1_000);
        const expected = [added[0], added[2]];
        const { status, body } = await api.get('/permissions/rules?limit=1');
        expect([status, (body.items as { id: string }[]).map(({ id }) => id)]).toEqual([
          200,
          expected.slice(0, 1),
        ]);
        const next = encodeURIComponent(String(body.next_cursor));
        const rest = await itemsOf(`/permissions/rules?limit=1&cursor=${next}`);
        expect(rest.map(({ id }) => id)).toEqual(expected.slice(1));
        const call = { tool_name: 'bash', tool_input: { command: 'ls' } };
        const checked = await api.post('/permissions/check', call);
        expect([checked.status, checked.body.type]).toEqual([500, '/problems/decryption_failed']);
        expect((await api.delete(`/permissions/rules/${rule.id}`)).status).toBe(204);
        expect((await api.post('/permissions/check', call)).status).toBe(200);
      });

      it('keeps no other request from the inbox, and no other interaction from its chat', async () => {
        const person = new Person(() => api);
        const asking = await Promise.all(
          ['a', 'b', 'c'].map((id) => person.say(id, script({ calls: [question] }))),
        );
        const asked = await Promise.all(asking.map((each) => each.record('INPUT_REQUIRED')));
        const { requests, interactions } = opened.stores;
        const { chat_uid, id } = (await interactions.findInteraction(asking[1]!.of.id, LOCAL))!;
        const by = { kind: 'user', user_id: 'local' } as const;
        await requests.settleRequest({
          ...{ request_id: asked[1]!.request_id, tenant_id: LOCAL.tenant_id },
          settlement: { kind: 'input', by, enc: sealedFor(chat_uid) } as never,
          at: new Date().toISOString(),
        });
        const inbox = await itemsOf('/requests?status=all&limit=200');
        const ids = inbox.map((each) => each['id']);
        expect(new Set(ids)).toEqual(new Set([asked[0]!.request_id, asked[2]!.request_id]));
        const { tenant_id } = LOCAL;
        await interactions.requestCancel({ id, tenant_id }, sealedFor(chat_uid));
        const chat = await api.get('/chats/b');
        expect(chat.status).toBe(200);
        expect(chat.body.interactions).toMatchObject([{ id, user_message: UNREADABLE }]);
        await expectError(`/chats/b/interactions/${id}`);
        expect((await api.get('/interactions?limit=200')).status).toBe(200);
        for (const each of [asking[0]!, asking[2]!]) await person.cancel(each.of, '?wait=true');
      });
    },
  );
}

const VALUES = { settings: { max_iterations: 3 }, metadata: { of: 'it' } };
const NOW = '2026-02-01T00:00:00.000Z';

/** Its stream ends with an error, once; those of its chat and of all chats go on. */
async function expectUnreadable(api: ApiClient, of: { chat_id: string; id: string }) {
  const failed = { type: 'ERROR', interaction_id: of.id, code: 'log_unreadable' };
  const frames = await (await api.events(of)).all();
  expect(frames.at(-1)).toMatchObject({ event: 'error', data: failed });
  expect(frames.filter(({ event }) => event === 'error')).toHaveLength(1);
  expect((await api.events(of, frames.at(-1)!.id)).status).toBe(204);
  const path = `/chats/${of.chat_id}`;
  const chat = await LiveWatch.open(api, `${path}/events`, `${of.id}/0`);
  expect(await chat.until('error')).toMatchObject(failed);
  await api.patch(path, { visibility: 'tenant' });
  await chat.until('chat_updated', (data) => data.chat.visibility === 'tenant');
  const again = await LiveWatch.open(api, `${path}/events`, chat.lastId);
  await again.until('chat_state');
  expect([chat.of('error').length, again.of('error').length]).toEqual([1, 0]);
  await Promise.all([chat.close(), again.close()]);
  const feed = await LiveWatch.open(api, '/events');
  await feed.until('feed_state');
  await feed.close();
}

/** A store in which the records of one interaction were changed. */
function withoutEventsOf(id: string, records: RecordStore): RecordStore {
  return new Proxy(records, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown =>
        name === 'readEvents' && args[0] === id
          ? Promise.reject(new AppError('internal', 'decryption_failed', 'It was changed.'))
          : Reflect.apply(member, target, args);
    },
  });
}

/** The text with another last byte. */
function flip(sealed: string): string {
  return sealed.replace(/.{5}$/, (end) => (end === 'AAAA=' ? 'BAAA=' : 'AAAA='));
}

/** As if sealed with the key of a chat, which did not seal it. */
function sealedFor(chatUid: string): string {
  return `\u0001enc1:${chatUid}:${randomBytes(60).toString('base64')}`;
}
