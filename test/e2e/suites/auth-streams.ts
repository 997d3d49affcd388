import { SignJWT } from 'jose';
import { eventually } from '../../support/eventually.js';
import { Gate } from '../../support/gate.js';
import { Following } from '../../support/store/following.js';
import type { ApiClient } from '../../support/client/api-client.js';
import { operationsOf } from '../operations.js';
import { ADMIN_KEY, WITH_KEYS, makeKey } from '../with-keys.js';
import type { ServerUnderTest, Servers } from '../servers.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

const JWT_SECRET = 'the-secret-of-hs256-in-tests-0123456789';
const JWT = { JWT_ISSUER: 'https://issuer.example', JWT_AUDIENCE: 'parley', JWT_SECRET };
const ENV = { ...WITH_KEYS, AUTH: 'keys,jwt', ...JWT };

export function describeAuthStreams(servers: Servers): void {
  describe('A ticket', () => {
    servers.run(
      ENV,
      (server) => {
        let api: ApiClient;
        let key: string;
        /** Path of the events of an interaction that has ended. */
        let events: string;
        beforeAll(async () => {
          ({ key } = await makeKey(server.api, ['chat']));
          api = server.api.bearing(key);
          server.fake.reply({ text: ['Hello.'] });
          const { interaction_id } = (await api.say('ended', 'Hello?')).records.at(-1)!;
          events = `/chats/ended/interactions/${interaction_id}/events`;
        });

        const ticketFor = async (path: string, of: ApiClient = api): Promise<string> => {
          const { status, body } = await of.post('/stream-tickets', { path });
          expect(status).toBe(201);
          expect(Date.parse(body.expires_at) - server.clock.now().getTime()).toBeGreaterThan(
            55_000,
          );
          return body.ticket;
        };
        const statusOf = async (url: string, method = 'GET') =>
          (await server.api.send(method, url)).status;

        it('opens the stream of an interaction, once', async () => {
          server.fake.reply({ text: ['Hello.'] });
          const of = await api.begin('ticketed', 'Hello?');
          const path = `/chats/ticketed/interactions/${of.id}/events`;
          const ticket = await ticketFor(path);
          const frames = await (await server.api.events(of, undefined, `?ticket=${ticket}`)).all();
          expect(frames.at(-1)?.event).toBe('interaction_complete');
          const { status, body } = await server.api.get(`${path}?ticket=${ticket}`);
          expect([status, body.type]).toEqual([401, '/problems/invalid_credential']);
          expect(body.instance).toBe(path);
          expect(JSON.stringify(body)).not.toContain(ticket);
        });

        it('goes to one of many that use it at once', async () => {
          const url = `${events}?ticket=${await ticketFor(events)}`;
          const answers = await Promise.all(Array.from({ length: 8 }, () => statusOf(url)));
          expect(answers.filter((status) => status === 200)).toHaveLength(1);
          expect(answers.filter((status) => status === 401)).toHaveLength(7);
        });

        it('is for one path, with any other query', async () => {
          const ticket = await ticketFor(`${events}?trace=1`);
          const encoded = events.replace('chats', '%63hats');
          for (const path of ['/tools', `${events}/`, events.toUpperCase(), encoded, `/${events}`])
            expect([path, await statusOf(`${path}?ticket=${ticket}`)]).toEqual([path, 401]);
          expect(await statusOf(`${events}?trace=1&ticket=${ticket}&order=x`)).toBe(400);
          const next = await ticketFor(events);
          expect(await statusOf(`${events}?trace=1&%74icket=${next}`)).toBe(200);
        });

        it.each(['HEAD', 'POST', 'DELETE', 'PATCH', 'OPTIONS'])('is not for %s', async (method) => {
          const ticket = await ticketFor(events);
          expect(await statusOf(`${events}?ticket=${ticket}`, method)).toBe(401);
          expect(await statusOf(`${events}?ticket=${ticket}`)).toBe(200);
        });

        it('is for 60 s', async () => {
          const ticket = await ticketFor(events);
          server.clock.pass(60_000);
          expect(await statusOf(`${events}?ticket=${ticket}`)).toBe(401);
        });

        it('is the only credential of its request', async () => {
          const [a, b] = [await ticketFor(events), await ticketFor(events)];
          expect((await api.get(`${events}?ticket=${a}`)).status).toBe(401);
          for (const query of ['ticket=', 'ticket', `ticket=${a}&ticket=${b}`, `ticket=x${a}`])
            expect([query, await statusOf(`${events}?${query}`)]).toEqual([query, 401]);
          expect(await statusOf(`${events}?ticket=${a}`)).toBe(200);
        });

        it('allows what its principal may do', async () => {
          const { key: other } = await makeKey(server.api, ['chat'], { user_id: 'ben' });
          const ticket = await ticketFor(events, server.api.bearing(other));
          expect(await statusOf(`${events}?ticket=${ticket}`)).toBe(404);
          const admin = await ticketFor(events, server.api.bearing(ADMIN_KEY));
          expect(await statusOf(`${events}?ticket=${admin}`)).toBe(200);
        });

        it('is worth nothing once its key is deleted', async () => {
          const made = await makeKey(server.api, ['chat']);
          const ticket = await ticketFor(events, server.api.bearing(made.key));
          await server.api.bearing(ADMIN_KEY).delete(`/keys/${made.id}`);
          await eventually(
            async () => (await server.api.bearing(made.key).get('/chats')).status === 401,
          );
          expect(await statusOf(`${events}?ticket=${ticket}`)).toBe(401);
        });

        it.each([
          'chats',
          '//evil.example/x',
          'http://evil.example/',
          '/a b',
          `/${'x'.repeat(1100)}`,
          '',
          '/chats',
          '/keys',
          '/chats/a/interactions/b',
          '/chats/a/events/b',
          '/chats/a/log#/events',
          '/chats/a/log?/chats/a/events',
          '/files/a',
        ])('is not made for %j', async (path) => {
          expect((await api.post('/stream-tickets', { path })).status).toBe(400);
        });

        it('is made for each event stream', async () => {
          const streams = (await operationsOf(server)).filter(
            ({ method, responses }) =>
              method === 'GET' && JSON.stringify(responses).includes('text/event-stream'),
          );
          expect(streams).not.toEqual([]);
          for (const { path } of streams) await ticketFor(path.replaceAll(/\{\w+\}/g, 'x'));
        });

        it('is not hoarded', async () => {
          const hoarder = await makeKey(server.api, ['chat'], { user_id: 'hoarder' });
          const post = () =>
            server.api.bearing(hoarder.key).post('/stream-tickets', { path: events });
          const made = await Promise.all(Array.from({ length: 105 }, post));
          const statuses = made.map(({ status }) => status);
          expect(statuses.filter((status) => status === 201)).toHaveLength(100);
          expect(statuses.filter((status) => status === 429)).toHaveLength(5);
          server.clock.pass(60_000);
          expect((await post()).status).toBe(201);
        });
      },
      { isOwn: true },
    );
  });

  (servers.store.fault ? describe.skip : describe)('A ticket of another process', () => {
    it('opens its path once, on one of them', async () => {
      const opened = await servers.open();
      const here = await servers.start(opened.stores, { env: ENV });
      const there = await servers.start(opened.stores, { env: ENV, fake: here.fake });
      try {
        const path = '/chats/none/events';
        const made = await here.api.bearing(ADMIN_KEY).post('/stream-tickets', { path });
        const url = `${path}?ticket=${made.body.ticket}`;
        const answers = await Promise.all([
          there.api.get(url),
          here.api.get(url),
          there.api.get(url),
        ]);
        const statuses = answers.map(({ status }) => String(status));
        expect(statuses.toSorted()).toEqual(['401', '401', '404']);
      } finally {
        await there.close();
        await here.stop();
        await opened.close();
      }
    });
  });

  describe('A request', () => {
    servers.run(ENV, testLongRequests, { isOwn: true });
  });

  describe('An open stream', () => {
    servers.run(
      ENV,
      (server) => {
        it('ends when its key is deleted, and can not be opened again', async () => {
          const { id, key } = await makeKey(server.api, ['chat']);
          await endsWhen(server, server.api.bearing(key), async () => {
            await server.api.bearing(ADMIN_KEY).delete(`/keys/${id}`);
          });
        });

        it('ends when its key expires', async () => {
          const expires_at = new Date(server.clock.now().getTime() + 60_000).toISOString();
          const { key } = await makeKey(server.api, ['chat'], { expires_at });
          await endsWhen(server, server.api.bearing(key), async () => server.clock.pass(60_000));
        });

        it('ends when its chat becomes private, for others than its owner', async () => {
          const [ann, ben] = await Promise.all(
            ['ann', 'ben'].map(async (user_id) =>
              server.api.bearing((await makeKey(server.api, ['chat'], { user_id })).key),
            ),
          );
          const gate = new Gate();
          server.fake.reply({ text: ['Half', gate, ' and half.'] });
          await ann!.post('/chats', { id: 'hidden', visibility: 'tenant' });
          const of = await ann!.begin('hidden', 'Hello?');
          const [hers, his] = [new Following(ann!, of), new Following(ben!, of)];
          for (const { reader } of [hers, his]) await eventually(() => reader.openText === 'Half');
          await ann!.patch('/chats/hidden', { visibility: 'private' });
          expect(await his.closed()).toBe('ended');
          expect(his.reader.done).toBe(false);
          expect((await ben!.events(of, his.reader.cursor)).status).toBe(404);
          gate.open();
          expect((await hers.end()).faults).toEqual([]);
        });

        it('ends when its token expires', async () => {
          const exp = Math.floor(server.clock.now().getTime() / 1000) + 60;
          const claims = {
            iss: JWT.JWT_ISSUER,
            aud: JWT.JWT_AUDIENCE,
            sub: 'ann',
            org_id: 'default',
          };
          const token = await new SignJWT({ ...claims, scope: 'chat', exp })
            .setProtectedHeader({ alg: 'HS256' })
            .sign(new TextEncoder().encode(JWT_SECRET));
          await endsWhen(server, server.api.bearing(token), async () => server.clock.pass(66_000));
        });

        it('ends when the key of its ticket is deleted', async () => {
          const { id, key } = await makeKey(server.api, ['chat']);
          const api = server.api.bearing(key);
          await endsWhen(
            server,
            api,
            async () => {
              await server.api.bearing(ADMIN_KEY).delete(`/keys/${id}`);
            },
            async (of) => {
              const path = `/chats/${of.chat_id}/interactions/${of.id}/events`;
              const { body } = await api.post('/stream-tickets', { path });
              return server.api.events(of, undefined, `?ticket=${body.ticket}`);
            },
          );
        });
      },
      { isOwn: true },
    );
  });
}

/** What takes long is not done, or not told, for a credential that was deleted meanwhile. */
function testLongRequests(server: ServerUnderTest): void {
  let api: ApiClient;
  let revoke: () => Promise<void>;
  beforeEach(async () => {
    const { id, key } = await makeKey(server.api, ['chat', 'admin']);
    api = server.api.bearing(key);
    revoke = async () => {
      await server.api.bearing(ADMIN_KEY).delete(`/keys/${id}`);
      await eventually(async () => (await api.get('/chats')).status === 401);
    };
  });
  const inTwoParts = (path: string, type: string, [first, last]: readonly [string, string]) => {
    const headers = { ...api.headers, 'content-type': type };
    const body = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(first);
      await revoke();
      yield Buffer.from(last);
    };
    const init = { method: 'POST', headers, body: body(), duplex: 'half' };
    return fetch(`${server.api.url}${path}`, init as unknown as RequestInit);
  };

  it('that waits for an interaction is answered 401', async () => {
    const gate = new Gate();
    server.fake.reply({ text: ['Half', gate, ' and half.'] });
    const path = `/chats/waits-${++chats}/interactions?wait=true`;
    const waiting = api.post(path, { user_message: 'Hello?' });
    await gate.reached;
    await revoke();
    expect(await waiting).toMatchObject({
      status: 401,
      body: { type: '/problems/invalid_credential' },
    });
    gate.open();
  });

  it('that uploads a file stores none', async () => {
    const part =
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nHello';
    const type = 'multipart/form-data; boundary=b';
    const reply = await inTwoParts('/files', type, [part, '\r\n--b--\r\n']);
    expect(reply.status).toBe(401);
    const { body } = await server.api.bearing(ADMIN_KEY).get('/files');
    expect(body.items).toEqual([]);
  });

  it('that imports a chat makes none', async () => {
    await api.post('/chats', { id: `exported-${++chats}` });
    const url = `${server.api.url}/chats/exported-${chats}/log`;
    const log = await (await fetch(url, { headers: api.headers })).text();
    const to = `/chats/import?chat_id=imported-${chats}`;
    const reply = await inTwoParts(to, 'application/x-ndjson', [log, '\n']);
    expect(reply.status).toBe(401);
    const found = await server.api.bearing(ADMIN_KEY).get(`/chats/imported-${chats}`);
    expect(found.status).toBe(404);
  });
}

let chats = 0;

/** Reads an answer that stops in its middle, and expects the stream to end without its end. */
async function endsWhen(
  server: ServerUnderTest,
  api: ApiClient,
  revoke: () => Promise<void>,
  open: (of: Interaction) => ReturnType<ApiClient['events']> = (of) => api.events(of),
): Promise<void> {
  const gate = new Gate();
  server.fake.reply({ text: ['Half', gate, ' and half.'] });
  const of = await api.begin(`watched-${++chats}`, 'Hello?');
  const following = new Following(api, of, open(of));
  const other = new Following(server.api.bearing(ADMIN_KEY), of);
  for (const { reader } of [following, other]) await eventually(() => reader.openText === 'Half');
  await revoke();
  expect(await following.closed()).toBe('ended');
  expect(following.reader.done).toBe(false);
  expect((await api.events(of, following.reader.cursor)).status).toBe(401);
  gate.open();
  expect((await other.end()).faults).toEqual([]);
}
