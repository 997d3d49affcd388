import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../../support/client/api-client.js';
import { Gate } from '../../support/gate.js';
import type { TestServer } from '../../support/server/test-server.js';
import { PROTOCOLS } from '../protocols/all-protocols.js';
import type { Protocol } from '../protocols/protocol-client.js';
import type { OpenStore } from '../stores.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { WITH_KEYS, makeKey } from '../with-keys.js';
import { masterKey } from '../../support/store/master-key.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

const TABLE = PROTOCOLS.map((protocol, at) => [protocol.name, protocol, `rules-${at}`] as const);

/** The rules of the server, by way of the clients of all protocols. */
export function describeProtocolRules(servers: Servers): void {
  describe('A client of each protocol', () => {
    testAtRest(servers);
    servers.run(WITH_KEYS, (server) => testVisibility(server));
    servers.run(
      { QUOTA_STARTS_PER_MINUTE: '1' },
      (server) => {
        it.each(TABLE)('has the quota of its tenant: %s', async (_, protocol, chat) => {
          const client = protocol.connect(server.api);
          expect(await client.send(chat, 'One')).toBe('Hello from the fake model.');
          await expect(client.send(chat, 'Two')).rejects.toThrow(/1 interactions within a minute/);
          expect(await interactionsOf(server.api, chat)).toHaveLength(1);
          server.clock.pass(61_000);
          await client.close?.();
        });
      },
      { isOwn: true },
    );
  });
}

/** Texts of people and models, as they are kept. */
function testAtRest(servers: Servers): void {
  (servers.store.fault ? describe.skip : describe)(`on ${servers.store.name}`, () => {
    let opened: OpenStore;
    let server: TestServer | undefined;
    let folder: string;
    beforeAll(async () => {
      opened = await servers.open();
      folder = await mkdtemp(join(tmpdir(), 'parley-rules-'));
      const patterns = join(folder, 'patterns.json');
      await writeFile(patterns, JSON.stringify([{ name: 'secret', pattern: 'SECRET-[0-9]+' }]));
      const env = {
        ENCRYPTION_KEYS: `k1:${masterKey(1)}`,
        REDACT_PATTERNS: patterns,
      };
      server = await servers.start(opened.stores, { env });
    });
    afterAll(async () => {
      await server?.stop();
      await opened.close();
      await rm(folder, { recursive: true, force: true });
    });

    it.each(TABLE)(
      'is read and answered redacted, and saved encrypted: %s',
      async (_, protocol, chat) => {
        const { api, fake } = server!;
        const client = protocol.connect(api);
        fake.reply({ text: 'CANARY-answer, SECRET-1.' });
        const answer = await client.send(chat, `CANARY-question of ${chat}, SECRET-2.`);
        expect(answer).toBe('CANARY-answer, [redacted: secret].');
        await client.send(chat, 'Go on');
        const { messages } = fake.requests.at(-1)!.body as { messages: { content: string }[] };
        expect(messages.slice(-3).map(({ content }) => content)).toEqual([
          `CANARY-question of ${chat}, [redacted: secret].`,
          'CANARY-answer, [redacted: secret].',
          'Go on',
        ]);
        expect(await opened.dump()).not.toMatch(/CANARY|SECRET-\d/);
        await client.close?.();
      },
    );
  });
}

function testVisibility(server: ServerUnderTest): void {
  let ann: ApiClient;
  let ben: ApiClient;
  beforeAll(async () => {
    const [one, other] = await Promise.all(
      ['ann', 'ben'].map((user_id) => makeKey(server.api, ['chat', 'decide'], { user_id })),
    );
    ann = server.api.bearing(one!.key);
    ben = server.api.bearing(other!.key);
  });

  it.each(TABLE)(
    'reads no further in a chat that is hidden meanwhile: %s',
    async (_, protocol, chat) => {
      await ann.post('/chats', { id: chat, visibility: 'tenant' });
      const client = protocol.connect(ben);
      const { sent, gate } = await sendHalf(server, protocol, ben, chat);
      expect((await ann.patch(`/chats/${chat}`, { visibility: 'private' })).status).toBe(200);
      await expect(sent).rejects.toThrow(/deleted, or hidden|404/);
      gate.open();
      await expect(client.send(chat, 'Again')).rejects.toThrow('There is no chat');
      expect(await interactionsOf(ann, chat)).toHaveLength(1);
    },
  );

  it.each(TABLE)(
    'reads no further in a chat that is deleted meanwhile: %s',
    async (_, protocol, id) => {
      const chat = `${id}-deleted`;
      const { sent, gate } = await sendHalf(server, protocol, ann, chat);
      expect((await ann.delete(`/chats/${chat}`)).status).toBe(204);
      expect(await outcomeOf(sent)).toMatch(/^nothing$|^Half $|The chat was deleted/);
      gate.open();
      const client = protocol.connect(ann);
      expect(await client.send(chat, 'Anew')).toBe('Hello from the fake model.');
      const [first, ...others] = await interactionsOf(ann, chat);
      expect([first!.user_message, others]).toEqual(['Anew', []]);
    },
  );
}

/** Until the model has said half of its answer. */
async function sendHalf(server: ServerUnderTest, protocol: Protocol, api: ApiClient, chat: string) {
  const gate = new Gate();
  server.fake.reply({ text: ['Half ', gate, 'and half.'] });
  const sent = protocol.connect(api).send(chat, 'Hi');
  sent.catch(() => {}); // it is awaited later
  await gate.reached;
  return { sent, gate };
}

async function interactionsOf(api: ApiClient, chat: string): Promise<readonly Interaction[]> {
  return (await api.get(`/chats/${chat}`)).body.interactions;
}

function outcomeOf(sent: Promise<string | undefined>): Promise<string> {
  return sent.then(
    (text) => text ?? 'nothing',
    (error: Error) => error.message,
  );
}
