import { randomBytes } from 'node:crypto';
import { Secret } from '../../../src/config/secret.js';
import { Encryption } from '../../../src/encryption/encryption.js';
import { MasterKeys } from '../../../src/encryption/master-keys.js';
import { rotateKeys } from '../../../src/encryption/rotate-keys.js';
import { LOCAL } from '../../support/store/chat-parts.js';
import { Person } from '../../support/client/person.js';
import { HumanTestModule } from '../../support/runs/human-test.module.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import type { TestServer } from '../../support/server/test-server.js';
import type { OpenStore } from '../stores.js';
import type { Servers } from '../servers.js';

const [K1, K2, WRONG] = ['k1', 'k2', 'k1'].map((id) => {
  return { id, secret: new Secret(randomBytes(32).toString('base64')) };
}) as [Key, Key, Key];
const NDJSON = { 'content-type': 'application/x-ndjson' };

type Key = ConstructorParameters<typeof MasterKeys>[0][0];

/** Text that must be nowhere in what is saved; the number says where it was written. */
const canary = (place: string): string => `CANARY-${place}`;
const calculate = { name: 'calculator', arguments: { expression: '6*7' } };
const ask = {
  name: 'ask_human',
  arguments: { question: canary('question'), options: [canary('option')] },
};
const plan = {
  name: 'todo',
  arguments: { tasks: [{ title: canary('todo'), description: canary('todo-text') }] },
};

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
      beforeEach(async () => {
        opened = await servers.open();
      });
      afterEach(async () => {
        await server?.stop();
        server = undefined;
        await opened.close();
      });

      /** Stops the server before, and opens its store again. */
      const start = async (env: object): Promise<TestServer> => {
        if (server) {
          await server.stop();
          server = undefined;
          await opened.reopen();
        }
        const modules = [HumanTestModule];
        server = await servers.start(opened.stores, { env: { ...env }, modules });
        server.fake.otherwise(playScript);
        return server;
      };

      it('keeps no text that people and models wrote, and gives it all back', async () => {
        const { api } = await start(keys(K1));
        const all = await writeEverywhere(server!);
        const before = await readEverything(server!, all);
        for (const place of all.canaries) expect(before).toContain(canary(place));
        const dump = await opened.dump();
        expect(dump.match(/CANARY-[\w-]+/g) ?? []).toEqual([]);
        expect(dump).toContain(all.interaction_id);

        const log = await (await fetch(`${api.url}/chats/main/log`)).text();
        const imported = await api.post('/chats/import?chat_id=again', log, NDJSON);
        expect(imported.status).toBe(201);
        expect((await opened.dump()).match(/CANARY-[\w-]+/g) ?? []).toEqual([]);
        const again = JSON.stringify((await api.get('/chats/again?state=all')).body);
        expect(again).toContain(canary('message'));
        expect(again).toContain(canary('answer'));
        await api.delete('/chats/again');

        await start(keys(K1));
        expect(await readEverything(server!, all)).toBe(before);
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
        expect(rotated).toBeGreaterThan(0);
        expect(await rotateKeys(opened.stores.dataKeys, new MasterKeys([K2]))).toBe(0);
        await api.say('old', 'Go on.');
        const { api: later } = await start(keys(K2));
        for (const chat of ['old', 'new'])
          expect(JSON.stringify((await later.get(`/chats/${chat}`)).body)).toContain(canary(chat));
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

      it('fails, and gives no text, if what is saved was changed', async () => {
        const { api } = await start(keys(K1));
        await api.post('/chats', { id: 'one', title: 'Title one' });
        await api.post('/chats', { id: 'two', title: 'Title two' });
        const raw = opened.stores.chats;
        const [one, two] = await Promise.all(['one', 'two'].map((id) => raw.findChat(id, LOCAL)));
        const updated_at = one!.updated_at;
        await raw.updateChat(one!.uid, { title: two!.title, updated_at }); // moved
        const moved = await api.get('/chats/one');
        expect([moved.status, JSON.stringify(moved.body)]).toEqual([
          500,
          expect.not.stringContaining('Title'),
        ]);
        const flipped = two!.title!.replace(/.{5}$/, (end) =>
          end === 'AAAA=' ? 'BAAA=' : 'AAAA=',
        );
        await raw.updateChat(two!.uid, { title: flipped, updated_at });
        expect((await api.get('/chats/two')).status).toBe(500);
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

interface Everything {
  readonly interaction_id: string;
  readonly canaries: readonly string[];
}

function ruleWith(text: string): Record<string, unknown> {
  const matcher = { type: 'command_prefix', prefixes: [text] };
  return { scope: 'global', decision: 'ask', matcher, description: `About ${text}` };
}

/** Writes a canary into each field that holds the text of a person or a model. */
async function writeEverywhere({ api, fake }: TestServer): Promise<Everything> {
  const person = new Person(() => api);
  await api.post('/chats', {
    id: 'main',
    title: canary('title'),
    metadata: { [canary('metadata-key')]: canary('metadata') },
    settings: { system_prompt: canary('system-prompt') },
    messages: [{ role: 'user', content: canary('earlier') }],
  });
  await api.post('/tasks', {
    chat_id: 'main',
    title: canary('task'),
    description: canary('task-text'),
  });
  await api.post('/permissions/rules', ruleWith(canary('rule')));
  const following = await person.say('main', {
    user_message: script({
      ...{ thinking: canary('thinking'), text: canary('text') },
      calls: [calculate, ask, plan],
    }),
    metadata: { of: canary('message-metadata') },
    client_tools: [
      {
        name: 'client_tool',
        description: canary('client-tool'),
        input_schema: { type: 'object', properties: {} },
      },
    ],
  });
  const { of } = following;
  const { approval_id } = await following.record('APPROVAL_REQUIRED');
  const { request_id, agent_id } = await following.record('INPUT_REQUIRED');
  const note = { user_comment: canary('note') };
  expect((await api.post(`/agents/${agent_id}/intervene`, note)).status).toBe(202);
  await person.reject(of, approval_id, { reason: canary('reason') });
  await person.respond(of, request_id, canary('given'));
  await following.end();
  fake.reply({ text: [canary('answer')] });
  await api.say('main', canary('message'));
  const cancelled = await person.say('main', script({ calls: [ask] }));
  await cancelled.record('INPUT_REQUIRED');
  await person.cancel(cancelled.of, '?wait=true');
  const canaries = [
    ...['title', 'metadata', 'metadata-key', 'task', 'task-text', 'rule', 'thinking', 'text'],
    ...['answer', 'question', 'option', 'todo', 'todo-text', 'message-metadata', 'note', 'reason'],
    ...['given', 'message', 'system-prompt', 'earlier'],
  ];
  return { interaction_id: of.id, canaries };
}

/** All that clients can read, but the times of what is not over. */
async function readEverything({ api }: TestServer, all: Everything): Promise<string> {
  const paths = [
    '/chats/main?state=all',
    '/chats',
    '/tasks?chat_id=main',
    '/permissions/rules',
    '/requests?chat_id=main&status=all',
    '/agents/tree?chat_id=main',
  ];
  const replies: string[] = [];
  for (const path of paths) {
    const { status, body } = await api.get(path);
    expect([path, status]).toEqual([path, 200]);
    replies.push(JSON.stringify(body));
  }
  const events = await api.follow({ chat_id: 'main', id: all.interaction_id });
  const log = await fetch(`${api.url}/chats/main/log`);
  return [...replies, JSON.stringify(events.records), await log.text()].join('\n');
}
