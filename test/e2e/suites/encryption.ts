import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '../../../src/config/secrets/secret.js';
import { Encryption } from '../../../src/encryption/encryption.js';
import { MasterKeys } from '../../../src/encryption/master-keys.js';
import { encryptSaved } from '../../../src/storage/encrypted/saved/encrypt-saved.js';
import { UNREADABLE } from '../../../src/encryption/unreadable.js';
import { rotateKeys } from '../../../src/encryption/rotate-keys.js';
import { ANY_TENANT } from '../../../src/persistence/any-tenant.js';
import { eventually } from '../../support/eventually.js';
import { readFolder } from '../../support/read-folder.js';
import { LOCAL } from '../../support/store/chat-parts.js';
import type { ApiClient } from '../../support/client/api-client.js';
import { EventReader } from '../../support/client/event-reader.js';
import { Gate } from '../../support/gate.js';
import { Person } from '../../support/client/person.js';
import { HumanTestModule } from '../../support/runs/human-test.module.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { canary, readEverything, ruleWith, writeEverywhere } from '../../support/runs/canaries.js';
import type { TestServer } from '../../support/server/test-server.js';
import type { OpenStore } from '../stores.js';
import type { Servers } from '../servers.js';
import { masterKey } from '../../support/store/master-key.js';

const [K1, K2, WRONG] = ['k1', 'k2', 'k1'].map((id, n) => {
  return { id, secret: new Secret(masterKey(n)) };
}) as [Key, Key, Key];
const question = { name: 'ask_human', arguments: { question: 'Go on?' } };
const CANARIES = /CANARY-[\w-]+/g;
const NDJSON = { 'content-type': 'application/x-ndjson' };

type Key = ConstructorParameters<typeof MasterKeys>[0][0];

function keys(...used: Key[]): { ENCRYPTION_KEYS: string } {
  const entries = used.map(({ id, secret }) => `${id}:${secret.reveal()}`);
  return { ENCRYPTION_KEYS: entries.join(',') };
}

export function describeEncryption(servers: Servers): void {
  (servers.store.fault ? describe.skip : describe)(
    `Encryption at rest on ${servers.store.name}`,
    () => {
      let opened: OpenStore;
      let server: TestServer | undefined;
      let files: string;
      beforeEach(async () => {
        opened = await servers.open();
        files = await mkdtemp(join(tmpdir(), 'parley-files-'));
      });
      afterEach(async () => {
        await server?.stop();
        server = undefined;
        await opened.close();
        await rm(files, { recursive: true, force: true });
      });

      /** Stops the server before, and opens its store again. */
      const start = async (env: object): Promise<TestServer> => {
        if (server) {
          await server.stop();
          server = undefined;
          await opened.reopen();
        }
        const modules = [HumanTestModule];
        server = await servers.start(opened.stores, { env: { ...env }, modules, files });
        server.fake.otherwise(playScript);
        return server;
      };

      it('keeps no text that people and models wrote, and gives it all back', async () => {
        const { api } = await start(keys(K1));
        const all = await writeEverywhere(server!);
        const before = await readEverything(server!, all);
        for (const place of all.canaries) expect(before).toContain(canary(place));
        const dump = await opened.dump();
        expect(dump.match(CANARIES) ?? []).toEqual([]);
        expect(dump).toContain(all.interaction_id);
        expect((await server!.dumpRedis()).match(CANARIES) ?? []).toEqual([]);

        const log = await (await api.fetch('/chats/main/log')).text();
        const imported = await api.post('/chats/import?chat_id=again', log, NDJSON);
        expect(imported.status).toBe(201);
        expect((await opened.dump()).match(CANARIES) ?? []).toEqual([]);
        const again = JSON.stringify((await api.get('/chats/again?state=all')).body);
        expect(again).toContain(canary('message'));
        expect(again).toContain(canary('answer'));
        await api.delete('/chats/again');

        await start(keys(K1));
        expect(await readEverything(server!, all)).toBe(before);
      });

      it('keeps no text while it streams, which readers get all the same', async () => {
        const { api, fake } = await start(keys(K1));
        const gate = new Gate();
        fake.otherwise(() => ({
          thinking: canary('thinking'),
          text: [canary('open'), gate, canary('rest')],
        }));
        const of = await api.begin('live', canary('message'));
        await gate.reached;
        const [reader, seen] = [new EventReader(), new Gate()];
        const following = api.follow(
          of,
          () => {
            if (reader.openText.endsWith(canary('open'))) void seen.pass();
            return false;
          },
          reader,
        );
        await seen.reached;
        const dumps = [await opened.dump(), await server!.dumpRedis()];
        expect(dumps.join('').match(CANARIES) ?? []).toEqual([]);
        if (servers.store.isCluster) expect(dumps[1]).toContain(of.id);
        gate.open();
        const text = canary('open') + canary('rest');
        await following;
        expect(reader.find('ANSWER')).toMatchObject({ content: text });
        expect(reader.faults).toEqual([]);
      });

      it('keeps no file, and no name of one, that can be read', async () => {
        const { api } = await start(keys(K1));
        await api.post('/chats', { id: 'with-files' });
        const upload = async (before: object, after: object = {}) => {
          const form = new FormData();
          for (const [name, id] of Object.entries(before)) form.set(name, id as string);
          form.set('file', new Blob([canary('bytes')]), `${canary('name')}.txt`);
          for (const [name, id] of Object.entries(after)) form.set(name, id as string);
          const { status, body } = await api.send('POST', '/files', { form });
          expect([status, body.filename]).toEqual([201, `${canary('name')}.txt`]);
          return body.id as string;
        };
        const of = { chat_id: 'with-files' };
        const ids = [await upload({}), await upload(of), await upload({}, of)];
        const said = await api.say('with-files', { user_message: 'Look', file_ids: ids });
        expect(said.find('INTERACTION_STARTED')?.files).toHaveLength(3);
        expect(JSON.stringify(said.records[0])).toContain(canary('name'));
        const sent = JSON.stringify(server!.fake.requests.at(-1)!.body);
        expect(sent.match(/CANARY-bytes/g)).toHaveLength(3);
        for (const id of ids) {
          const content = await api.fetch(`/files/${id}/content`);
          expect(await content.text()).toBe(canary('bytes'));
        }
        const listed = JSON.stringify((await api.get('/files?limit=10')).body);
        expect(listed.match(/CANARY-name/g)).toHaveLength(3);
        expect((await opened.dump()).match(/CANARY-[\w-]+/g) ?? []).toEqual([]);
        expect(await readFolder(server!.files)).toContain(ids[2]);
        expect(await readFolder(server!.files)).not.toContain('CANARY');
      });

      it('keeps no text of a message that is edited in the queue', async () => {
        const { api } = await start(keys(K1));
        const running = await api.begin('waiting', script({ hang: true }));
        const body = { user_message: canary('message'), on_conflict: 'enqueue' };
        const { id } = await api.begin('waiting', body);
        const user_message = canary('edited');
        await api.patch(`/chats/waiting/interactions/${id}`, { user_message });
        expect((await opened.dump()).match(CANARIES) ?? []).toEqual([]);
        const queue = await api.get('/chats/waiting/queue');
        expect(queue.body.items).toMatchObject([{ id, user_message }]);
        for (const each of [id, running.id])
          await api.post(`/chats/waiting/interactions/${each}/cancel?wait=true`, {});
      });

      it('continues, edits and deletes, and the key goes with the chat', async () => {
        const { api } = await start(keys(K1));
        const person = new Person(() => api);
        const first = await api.say('edits', canary('message'));
        const interaction_id = first.records[0]!.interaction_id;
        const of = { chat_id: 'edits', id: interaction_id };
        const edited = await person.edit(of, canary('edited'));
        expect((await api.follow(edited.body)).records.at(-1)).toMatchObject({
          status: 'COMPLETED',
        });
        await api.say('edits', 'Go on.');
        const sent = JSON.stringify(server!.fake.requests.at(-1)!.body);
        expect(sent).toContain(canary('edited'));
        const uid = (await opened.stores.chats.findChat('edits', LOCAL))!.uid;
        const [kept] = await opened.stores.dataKeys.findOfChats([uid]);
        expect(kept!.key!.master_key_id).toBe('k1');
        expect((await api.delete('/chats/edits')).status).toBe(204);
        expect(await opened.stores.dataKeys.findOfChats([uid])).toEqual([]);
        expect(await opened.dump()).not.toContain(kept!.key!.wrapped);
      });

      it('encrypts what is new when it is turned on, and reads both', async () => {
        const plain = await start({ ENCRYPTION_KEYS: '' });
        await plain.api.say('mixed', 'CANARY-old');
        await plain.api.patch('/chats/mixed', { title: 'CANARY-title', metadata: { a: 1 } });
        expect(await opened.dump()).toContain('CANARY-old');
        const { api } = await start(keys(K1));
        await api.say('mixed', 'CANARY-new');
        const chat = JSON.stringify((await api.get('/chats/mixed?state=all')).body);
        for (const text of ['CANARY-old', 'CANARY-new', 'CANARY-title'])
          expect(chat).toContain(text);
        const sent = JSON.stringify(server!.fake.requests.at(-1)!.body);
        expect([sent.includes('CANARY-old'), sent.includes('CANARY-new')]).toEqual([true, true]);
        const dump = await opened.dump();
        expect([dump.includes('CANARY-old'), dump.includes('CANARY-new')]).toEqual([true, false]);
      });

      it('encrypts what was saved before it was turned on, and gives it all back', async () => {
        const plain = await start({ ENCRYPTION_KEYS: '' });
        const all = await writeEverywhere(plain);
        const before = await readEverything(plain, all);
        expect(await opened.dump()).toContain(canary('answer'));
        await plain.stop();
        server = undefined;
        await opened.reopen();
        const masters = new MasterKeys([K1]);
        expect(await encryptSaved(opened.stores, masters)).toBeGreaterThan(5);
        await opened.reopen();
        expect(await encryptSaved(opened.stores, masters)).toBe(0);
        await opened.reopen();
        const { api } = await start(keys(K1));
        expect(await readEverything(server!, all)).toBe(before);
        expect((await opened.dump()).match(CANARIES) ?? []).toEqual([]);
        await api.say('main', 'Go on.');
        const sent = JSON.stringify(server!.fake.requests.at(-1)!.body);
        expect(sent).toContain(canary('answer'));
      });

      it('keeps nothing that confirms a guess of a request with an idempotency key', async () => {
        const startOnce = async (api: ApiClient, chat: string, user_message: string) => {
          const headers = { 'idempotency-key': 'once', accept: 'application/json' };
          const reply = await api.post(`/chats/${chat}/interactions`, { user_message }, headers);
          return [reply.status, reply.body.id];
        };
        const plain = await start({ ENCRYPTION_KEYS: '' });
        const early = await startOnce(plain.api, 'early', 'Hello.');
        expect(await opened.dump()).toMatch(/[^:][0-9a-f]{64}/);
        const { api } = await start(keys(K1));
        const late = await startOnce(api, 'late', 'Hello.');
        const again = async (chats: ApiClient) => [
          await startOnce(chats, 'early', 'Hello.'),
          await startOnce(chats, 'late', 'Hello.'),
          (await startOnce(chats, 'late', 'Another.'))[0],
        ];
        expect(await again(api)).toEqual([early, late, 422]);
        await server!.stop();
        server = undefined;
        await opened.reopen();
        await encryptSaved(opened.stores, new MasterKeys([K1]));
        const { tenant_id } = LOCAL;
        const ofKeys = await opened.stores.keys.list({ tenant_id, limit: 100 });
        const dump = ofKeys.reduce(
          (rest, { secret_hash }) => rest.replaceAll(secret_hash, ''),
          await opened.dump(),
        );
        expect(dump).not.toMatch(/[^:0-9a-f][0-9a-f]{64}[^0-9a-f]/);
        await opened.reopen();
        expect(await again((await start(keys(K1))).api)).toEqual([early, late, 422]);
      });

      it('refuses to start without the key, or with another one, and names it', async () => {
        await (await start(keys(K1))).api.say('kept', 'Hello.');
        const faults = [
          [{ ENCRYPTION_KEYS: '' }, 'lacks "k1"'],
          [keys(K2), 'lacks "k1"'],
          [keys(WRONG), 'has another key "k1"'],
        ] as const;
        for (const [env, fault] of faults) {
          const failure = await start(env).then(
            () => undefined,
            (error: Error) => error.message,
          );
          expect(failure).toContain(`ENCRYPTION_KEYS: ${fault}`);
          for (const { secret } of [K1, K2, WRONG]) expect(failure).not.toContain(secret.reveal());
        }
        expect((await (await start(keys(K2, K1))).api.get('/chats/kept')).status).toBe(200);
      });

      it('rotates its keys while a server runs, which then no longer needs the former one', async () => {
        await (await start(keys(K1))).api.say('old', canary('old'));
        const { api } = await start(keys(K2, K1));
        await api.say('new', canary('new'));
        await api.post('/permissions/rules', ruleWith(canary('rule')));
        const rotated = await rotateKeys(opened.stores.dataKeys, new MasterKeys([K2, K1]));
        expect(rotated).toMatchObject({ rotated: expect.any(Number), lost: [] });
        const again = await rotateKeys(opened.stores.dataKeys, new MasterKeys([K2]));
        expect([rotated.rotated > 0, again]).toEqual([true, { rotated: 0, lost: [] }]);
        await api.say('old', 'Go on.');
        const { api: later } = await start(keys(K2));
        for (const chat of ['old', 'new'])
          expect(JSON.stringify((await later.get(`/chats/${chat}`)).body)).toContain(canary(chat));
      });

      it('starts, and rotates its keys, beside a damaged data key, which it names', async () => {
        const { api } = await start(keys(K1));
        for (const id of ['one', 'damaged', 'two']) await api.post('/chats', { id, title: id });
        const { chats, dataKeys } = opened.stores;
        const { uid: chat_uid, tenant_id } = (await chats.findChat('damaged', LOCAL))!;
        const key = (await dataKeys.findOfChats([chat_uid]))[0]!.key!;
        const wrapped = `AAAAAAAA${key.wrapped.slice(8)}`;
        await dataKeys.replace({ ...key, chat_uid, tenant_id }, { ...key, wrapped });
        const { log } = await start(keys(K2, K1));
        const named = log.filter((line) => line.includes(chat_uid));
        if (!servers.store.isCluster) expect(named).toHaveLength(1); // a warning of each process
        expect(named.map((line) => JSON.parse(line).level)).toEqual(named.map(() => 'warn'));
        expect(named).not.toEqual([]);
        const rotated = await rotateKeys(opened.stores.dataKeys, new MasterKeys([K2, K1]));
        expect(rotated).toEqual({ rotated: 2, lost: [{ chat_uid, tenant_id }] });
        const { api: later } = await start(keys(K2, K1));
        expect((await later.get('/chats/two')).body.title).toBe('two');
        expect((await later.delete('/chats/damaged')).status).toBe(204);
        expect((await (await start(keys(K2))).api.get('/chats/one')).body.title).toBe('one');
      });

      it('has a chat whose answer looks encrypted, on or off', async () => {
        const text = `\u0001enc1:${randomUUID()}:${'A'.repeat(1_000)}`;
        const { api } = await start({ ENCRYPTION_KEYS: '' });
        await api.say('odd', script({ text }));
        const [chat] = (await api.get('/chats')).body.items as { preview: string }[];
        expect(chat!.preview).toMatch(/^enc1:.{194}…$/);
        const { api: later } = await start(keys(K1));
        expect(JSON.stringify((await later.get('/chats/odd')).body)).toContain('A'.repeat(1_000));
        await later.say('odd', script({ text }));
        expect((await later.get('/chats/odd')).body.preview).toBe(chat!.preview);
        expect((await later.delete('/chats/odd')).status).toBe(204);
      });

      it('takes no text that looks encrypted, on or off', async () => {
        for (const env of [{ ENCRYPTION_KEYS: '' }, keys(K1)]) {
          const { api } = await start(env);
          const text = '\u0001enc1:x:AAAA';
          const replies = await Promise.all([
            api.post('/chats/odd/interactions', { user_message: text }),
            api.post('/chats', { id: 'titled', title: text }),
            api.post('/chats', { id: 'with-metadata', metadata: { enc: text } }),
          ]);
          expect(
            replies.map(({ status, body }) => [status, String(body.type).split('/').at(-1)]),
          ).toEqual(replies.map(() => [400, 'invalid_text']));
        }
      });

      it('gives no text of what is saved and was changed', async () => {
        const { api } = await start(keys(K1));
        await api.post('/chats', { id: 'one', title: 'Title one' });
        await api.post('/chats', { id: 'two', title: 'Title two' });
        const raw = opened.stores.chats;
        const [one, two] = await Promise.all(['one', 'two'].map((id) => raw.findChat(id, LOCAL)));
        const updated_at = one!.updated_at;
        await raw.updateChat(one!.uid, { title: two!.title, updated_at }); // moved
        const unreadable = async (id: string) => {
          const { status, body } = await api.get(`/chats/${id}`);
          expect([status, body.title]).toEqual([200, UNREADABLE]);
          expect(JSON.stringify(body)).not.toContain('Title');
        };
        await unreadable('one');
        const flipped = two!.title!.replace(/.{5}$/, (end) =>
          end === 'AAAA=' ? 'BAAA=' : 'AAAA=',
        );
        await raw.updateChat(two!.uid, { title: flipped, updated_at });
        await unreadable('two');
      });

      it('ends an interaction that was changed, and others go on', async () => {
        const env = { ...keys(K1), LEASE_TTL_MS: '1500', PARK_AFTER_MS: '0' };
        const { api } = await start(env);
        const person = new Person(() => api);
        const [bad, running, good] = await Promise.all([
          person.say('bad', script({ calls: [question] })),
          person.say('running', script({ calls: [{ name: 'patient', arguments: {} }] })),
          person.say('good', script({ calls: [question] })),
        ]);
        const { request_id } = await good.record('INPUT_REQUIRED');
        await bad.record('INPUT_REQUIRED');
        await running.record('TOOL_STARTED');
        // A run that still has it in memory would take the reason for what it is, and be cancelled.
        await eventually(() => !server!.runs(bad.of.id));
        const raw = opened.stores.interactions;
        for (const { of } of [bad, running]) {
          const { chat_uid } = (await raw.findInteraction(of.id, ANY_TENANT))!;
          await raw.requestCancel(
            { id: of.id, tenant_id: LOCAL.tenant_id },
            `\u0001enc1:${chat_uid}:AAAA`,
          );
        }
        await eventually(async () => {
          const rows = [bad, running].map(({ of }) => raw.findInteraction(of.id, ANY_TENANT));
          return (await Promise.all(rows)).every((row) => row?.completed_at);
        });
        const rows = [bad, running].map(({ of }) => raw.findInteraction(of.id, ANY_TENANT));
        const [ofBad, ofRunning] = await Promise.all(rows);
        expect(ofBad).toMatchObject({ status: 'FAILED', error: { code: 'log_unreadable' } });
        expect(ofRunning!.status).toMatch(/FAILED|CANCELLED/);
        await person.respond(good.of, request_id, 'Yes.');
        expect((await good.end()).records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        const later = await api.say('bad', 'Hello.');
        expect(later.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
      });

      it('has a key for what is kept outside of the stores', async () => {
        const on = await start(keys(K1));
        await on.api.post('/chats', { id: 'seam' });
        const { uid } = (await opened.stores.chats.findChat('seam', LOCAL))!;
        for (const { keys: data } of on.getAll(Encryption)) {
          const key = await data!.ofChat(uid);
          expect(key!.open(key!.seal('x', ['spill', 1]), ['spill', 1])).toBe('x');
        }
      });
    },
  );
}
