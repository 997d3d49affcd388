import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Environment } from '../../src/config/load-config.js';
import { builtServer } from '../support/server/built-server.js';
import { EventReader } from '../support/client/event-reader.js';
import { Effects } from '../support/tools/effects.js';
import { eventually } from '../support/eventually.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { Gate } from '../support/gate.js';
import { POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { openTcpProxy } from '../support/server/tcp-proxy.js';
import type { TcpProxy } from '../support/server/tcp-proxy.js';
import { allTenants } from '../support/store/all-tenants.js';
import { tellsOfStop } from '../support/server/tells-of-stop.js';

/** As if another process had taken it and died. */
const STEAL = `UPDATE interactions SET owner = 'another', epoch = epoch + 1, lease_until = clock_timestamp() - interval '1 second' WHERE id = $1`;
/** A process whose calendar is an hour ahead. */
const AHEAD = `--import=data:text/javascript,${encodeURIComponent(
  'const D = Date, ms = 3_600_000; globalThis.Date = class extends D { constructor(...a) { if (a.length) super(...a); else super(D.now() + ms); } static now() { return D.now() + ms; } };',
)}`;

(POSTGRES.fault ? describe.skip : describe)(
  'An interaction that another process takes over',
  () => {
    let data: ProcessData;
    let folder: string;
    let proxy: TcpProxy;
    let fake: FakeOpenAi;
    let effects: Effects;
    let started: ServerProcess[];
    let tests = 0;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'parley-take-over-'));
    });
    beforeEach(async () => {
      started = [];
      data = await POSTGRES.create();
      fake = await FakeOpenAi.start();
      effects = new Effects(join(folder, `effects-${tests++}`));
      const { hostname: host, port } = new URL(data.env['DATABASE_URL']!);
      proxy = await openTcpProxy({ host, port: Number(port || 5432) });
    });
    afterEach(async () => {
      await Promise.all(started.map((server) => server.kill('SIGKILL')));
      await proxy.cut();
      await fake.stop();
      await data.remove();
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    const start = async (env: Environment = {}): Promise<ServerProcess> => {
      const settings = {
        MODEL: 'openai/fake',
        OPENAI_BASE_URL: fake.baseUrl,
        LEASE_TTL_MS: '4000',
        HEARTBEAT_MS: '100',
        CHAOS_EFFECTS: effects.path,
        ...data.env,
      };
      const server = await ServerProcess.start({ ...settings, ...env }, [
        await builtServer('chaos/server/main.mjs'),
      ]);
      started.push(server);
      return server;
    };
    /** One that reaches the database through the proxy. */
    const startBehindProxy = (): Promise<ServerProcess> => {
      const url = new URL(data.env['DATABASE_URL']!);
      Object.assign(url, { hostname: '127.0.0.1', port: String(proxy.port) });
      return start({ DATABASE_URL: url.href });
    };
    const query = async (sql: string, values: unknown[]): Promise<void> => {
      const client = new pg.Client(allTenants(data.env['DATABASE_URL']!));
      await client.connect();
      await client.query(sql, values);
      await client.end();
    };

    /**
     * Its renewal tells the first. Until then it may show text, but no record: its lease has not
     * lapsed by the clock, which is how another process gets one.
     */
    const steal = async (first: ServerProcess, id: string): Promise<void> => {
      await query(STEAL, [id]);
      await eventually(() => tellsOfStop(first.output, id));
    };

    type Lose = (first: ServerProcess, id: string) => Promise<void> | void;
    const WAYS: [string, Lose, (first: ServerProcess) => void][] = [
      ['stood still', (first) => first.signal('SIGSTOP'), (first) => first.signal('SIGCONT')],
      ['could not reach the database', () => proxy.silence(), () => {}],
      ['learned that its lease was gone', (first, id) => steal(first, id), () => {}],
    ];

    it.each(WAYS)(
      'is written and shown by that one only, when the first %s (I6)',
      async (_, lose, recover) => {
        const zombie = new Gate();
        const taken = new Gate();
        fake.reply({ text: ['Half', zombie, ' a zombie speaks'] }, { text: ['Whole', taken, '.'] });
        const first = await startBehindProxy();
        const stream = await (await first.api()).stream('chat', 'Go');
        const reader = new EventReader();
        const seen: string[] = [];
        const reading = (async () => {
          for await (const frame of stream) {
            reader.read(frame);
            seen.push(JSON.stringify(frame.data));
          }
        })().catch(() => {}); // it may be cut off
        await eventually(() => reader.openText === 'Half');
        const of = { chat_id: 'chat', id: reader.records[0]!.interaction_id };
        const second = await start();
        await lose(first, of.id);
        await taken.reached; // the second one runs it, and the model works for it
        zombie.open();
        recover(first);
        expect(await (await fake.request(1)).ended).toMatch(/closed|answered/);
        await eventually(() => tellsOfStop(first.output, of.id));
        taken.open();
        const whole = await (await second.api()).follow(of);
        stream.close();
        await reading;
        await (await second.api()).follow(of, undefined, reader);
        for (const { faults } of [reader, whole]) expect(faults).toEqual([]);
        expect(reader.records).toEqual(whole.records);
        expect(whole.types).toEqual([
          ...['INTERACTION_STARTED', 'RESUMED', 'ANSWER', 'TURN_COMPLETED', 'INTERACTION_COMPLETE'],
        ]);
        expect(whole.find('ANSWER')).toMatchObject({ content: 'Whole.' });
        expect(seen.join()).not.toContain('zombie');
      },
    );

    it.each(WAYS)(
      'has its tools and its model stopped in the first, which %s (I4, I6)',
      async (_, lose, recover) => {
        const calls = [{ name: 'note', arguments: { token: 'mark', ms: 60_000 } }];
        const asked = new Gate();
        fake.reply({ calls });
        const first = await startBehindProxy();
        const api = await first.api();
        const of = await api.begin('chat', { user_message: 'Go', approval_mode: 'auto' });
        await effects.wait('begin');
        fake.reply({ text: ['Other', asked] });
        const other = await api.begin('other', 'Go');
        await asked.reached;
        const second = await start();
        for (const { id } of [of, other]) await lose(first, id);
        await effects.wait('begin', 2);
        recover(first);
        expect(await (await fake.request(2)).ended).toBe('closed');
        for (const { id } of [of, other]) await eventually(() => tellsOfStop(first.output, id));
        await (await second.api()).post(`/chats/chat/interactions/${of.id}/cancel?wait=true`);
        expect(await effects.phases('note')).toEqual(['begin', 'begin']);
      },
    );

    it('is taken up by exactly one of those that look for it (I6)', async () => {
      const held = new Gate();
      fake.otherwise({ text: ['Half', held] });
      const first = await start({ LEASE_TTL_MS: '5000' });
      const api = await first.api();
      const chats = Array.from({ length: 12 }, (_, n) => `chat-${n}`);
      const all = await Promise.all(chats.map((chat) => api.begin(chat, 'Go')));
      await fake.request(all.length);
      const [second] = await Promise.all([
        start({ LEASE_TTL_MS: '5000' }),
        start({ LEASE_TTL_MS: '5000' }),
      ]);
      fake.otherwise({ text: 'Done.' });
      await first.kill('SIGKILL');
      const other = await second.api();
      for (const of of all) {
        const reader = await other.follow(of);
        expect(reader.faults).toEqual([]);
        expect(reader.list('RESUMED')).toHaveLength(1);
      }
      expect(fake.requests).toHaveLength(2 * all.length);
    });

    it('is not taken over because a process has another time of day', async () => {
      const [mine, lapsed] = [new Gate(), new Gate()];
      fake.reply({ text: ['Mine', mine, '.'] }, { text: ['Half', lapsed] }, { text: 'Taken.' });
      const first = await start({ LEASE_TTL_MS: '60000' });
      const api = await first.api();
      const kept = await api.begin('kept', 'Go');
      await mine.reached;
      const left = await api.begin('left', 'Go');
      await lapsed.reached;
      const second = await start({ LEASE_TTL_MS: '60000', NODE_OPTIONS: AHEAD });
      first.signal('SIGSTOP'); // else it may be the one that takes it up
      await query(STEAL, [left.id]);
      const taken = await (await second.api()).follow(left);
      expect(taken.find('ANSWER')).toMatchObject({ content: 'Taken.' });
      const ahead_ms = Date.parse(taken.find('ANSWER')!.at) - Date.now();
      expect(ahead_ms).toBeLessThan(60_000); // it follows the clock of the database
      first.signal('SIGCONT');
      mine.open();
      expect((await (await second.api()).follow(kept)).types).not.toContain('RESUMED');
    });
  },
);
