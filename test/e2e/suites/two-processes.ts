import { Redis } from 'ioredis';
import { eventually } from '../../support/eventually.js';
import { FakeOpenAi } from '../../support/model/fake-openai.js';
import { Following } from '../../support/store/following.js';
import { Gate } from '../../support/gate.js';
import { Person } from '../../support/client/person.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { openTcpProxy } from '../../support/server/tcp-proxy.js';
import type { TcpProxy } from '../../support/server/tcp-proxy.js';
import { findRedisFault, testRedisUrl } from '../../support/store/test-redis.js';
import { TestServer } from '../../support/server/test-server.js';
import { POSTGRES } from '../stores.js';
import type { OpenStore } from '../stores.js';

const fault = POSTGRES.fault ?? (await findRedisFault());

const QUESTION = { name: 'ask_human', arguments: { question: 'Well?' } };
const env = {
  DATABASE_URL: 'postgres://is.opened/by-the-test',
  LEASE_TTL_MS: '600000', // its renewal is no way to hear of anything
  HEARTBEAT_MS: '500',
};

export function describeTwoProcesses(): void {
  (fault ? describe.skip : describe)('Two processes with one Postgres and one Redis', () => {
    let opened: OpenStore;
    let fake: FakeOpenAi;
    let proxy: TcpProxy;
    let here: TestServer;
    let there: TestServer;
    const redis = new Redis(testRedisUrl(2), { lazyConnect: true });

    beforeAll(async () => {
      opened = await POSTGRES.open();
      fake = await FakeOpenAi.start();
      fake.otherwise(playScript);
      const url = new URL(testRedisUrl(2));
      proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port || 6379) });
      url.host = `127.0.0.1:${proxy.port}`;
      const start = () =>
        TestServer.start(opened.stores, { env: { ...env, REDIS_URL: url.href }, fake });
      [here, there] = [await start(), await start()];
    });
    afterAll(async () => {
      await Promise.all([here?.close(), there?.close()]);
      await Promise.all([fake?.stop(), opened?.close(), proxy?.cut()]);
      redis?.disconnect();
    });
    afterEach(() => expect(fake?.violations ?? []).toEqual([]));

    /**
     * Starts an interaction here, whose answer stops in its middle, and reads it in both processes.
     */
    const halfAnswered = async (chat: string) => {
      const gate = new Gate();
      fake.reply({ text: ['Half 🦜', gate, ' and half.'] });
      const of = await here.api.begin(chat, 'Hello?');
      const readers = [new Following(here.api, of)];
      await eventually(() => readers[0]!.reader.openText === 'Half 🦜');
      readers.push(new Following(there.api, of));
      return { of, gate, readers };
    };

    const expectSame = async (readers: readonly Following[]): Promise<void> => {
      const ended = await Promise.all(readers.map((each) => each.end()));
      for (const { faults, records } of ended) {
        expect(faults).toEqual([]);
        expect(JSON.stringify(records)).toBe(JSON.stringify(ended[0]!.records));
      }
    };

    it('show whoever joins on the other one what was said so far, and the rest (I2)', async () => {
      const { of, gate, readers } = await halfAnswered('joined');
      await eventually(() => readers[1]!.reader.openText === 'Half 🦜');
      expect(here.runs(of.id)).toBe(true);
      gate.open();
      await expectSame(readers);
      expect(readers[1]!.reader.find('ANSWER')).toMatchObject({ content: 'Half 🦜 and half.' });
      await eventually(async () => (await redis.keys(`*${of.id}*`)).length === 0);
    });

    it('decide, answer and cancel for each other', async () => {
      const person = new Person(() => there.api);
      const of = await here.api.begin(
        'asked',
        script({ calls: [QUESTION] }, { calls: [QUESTION] }),
      );
      const following = new Following(there.api, of);
      const { request_id } = await following.record('INPUT_REQUIRED');
      expect(await person.respond(of, request_id, 'Fine.')).toMatchObject({ status: 200 });
      await following.record('INPUT_REQUIRED', 2);
      expect(await person.cancel(of, '?wait=true')).toMatchObject({
        status: 200,
        body: { status: 'CANCELLED' },
      });
      expect((await following.end()).faults).toEqual([]);
    });

    it('go on while Redis is away, and readers miss nothing', async () => {
      const { gate, readers } = await halfAnswered('away');
      await eventually(() => readers[1]!.reader.openText === 'Half 🦜');
      await proxy.cut();
      const ready = () => there.api.get('/health/ready');
      await eventually(async () => (await ready()).body.status === 'degraded');
      expect((await ready()).body.degraded).toMatchObject([{ dependency: 'redis' }]);
      const alone = await there.api.say('alone', 'Anybody?');
      expect(alone.faults).toEqual([]);
      expect(alone.find('NOTICE')).toMatchObject({ code: 'live_bus_unavailable' });
      gate.open();
      await expectSame(readers);

      const during = await halfAnswered('back');
      await proxy.restore();
      await eventually(async () => (await ready()).body.status === 'ok');
      await eventually(() => during.readers[1]!.reader.openText === 'Half 🦜');
      during.gate.open();
      await expectSame(during.readers);
      await eventually(async () => (await redis.keys(`*${during.of.id}*`)).length === 0);
    });
  });
}
