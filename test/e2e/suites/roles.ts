import { findUid } from '../../support/store/find-uid.js';
import { jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { eventually } from '../../support/eventually.js';
import { FakeOpenAi } from '../../support/model/fake-openai.js';
import { Following } from '../../support/store/following.js';
import { Gate } from '../../support/gate.js';
import { Person } from '../../support/client/person.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { findRedisFault, testRedisUrl } from '../../support/store/test-redis.js';
import { TestServer } from '../../support/server/test-server.js';
import { POSTGRES } from '../stores.js';
import type { OpenStore } from '../stores.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

const fault = POSTGRES.fault ?? (await findRedisFault());

const REDIS_URL = testRedisUrl(3);
const QUESTION = { name: 'ask_human', arguments: { question: 'Well?' } };

export function describeRoles(): void {
  (fault ? describe.skip : describe)('Processes with roles', () => {
    let opened: OpenStore;
    let fake: FakeOpenAi;
    let api: TestServer;
    let workers: TestServer[];
    const redis = new Redis(REDIS_URL, { lazyConnect: true });

    const start = (ROLE: string): Promise<TestServer> => {
      const DATABASE_URL = 'postgres://is.opened/by-the-test';
      const shared = { DATABASE_URL, REDIS_URL, MAX_CONCURRENT_RUNS: '1' };
      const limits = { TOOL_CALLS_PER_MINUTE: '3' };
      const env = { ...shared, ...limits, ROLE, LEASE_TTL_MS: '600000', PARK_AFTER_MS: '50' };
      return TestServer.start(opened.stores, { env, fake });
    };

    beforeAll(async () => {
      opened = await POSTGRES.open();
      fake = await FakeOpenAi.start();
      fake.otherwise(playScript);
      api = await start('api');
      workers = [await start('worker'), await start('worker')];
    });
    afterAll(async () => {
      await Promise.all([api, ...(workers ?? [])].map((server) => server?.close()));
      await Promise.all([fake?.stop(), opened?.close()]);
      redis?.disconnect();
    });
    afterEach(() => expect(fake?.violations ?? []).toEqual([]));

    it('run nothing where clients are answered, and answer no client where it runs', async () => {
      const gate = new Gate();
      fake.reply({ text: ['Half', gate, ' and half.'] });
      const of = await api.api.begin('divided', 'Hello?');
      const following = new Following(api.api, of);
      await eventually(() => following.reader.openText === 'Half');
      expect(api.runs(of.id)).toBe(false);
      expect(workers.filter((worker) => worker.runs(of.id))).toHaveLength(1);
      const refused = await workers[0]!.api.get('/chats');
      expect(refused).toMatchObject({ status: 421, body: { type: '/problems/not_an_api' } });
      for (const path of ['/health/live', '/health/ready'])
        expect(await workers[0]!.api.get(path)).toMatchObject({ status: 200 });
      gate.open();
      expect((await following.end()).faults).toEqual([]);
    });

    it('share the work: each as much as it may, and the rest when there is room', async () => {
      const gates = [1, 2, 3].map(() => new Gate());
      for (const gate of gates) fake.reply({ text: ['Half', gate, '.'] });
      const all: Interaction[] = [];
      for (const [n, gate] of gates.entries()) {
        all.push(await api.api.begin(`shared-${n}`, 'Hello?'));
        if (n < 2) await gate.reached;
      }
      const running = (): number[] =>
        workers.map((worker) => all.filter(({ id }) => worker.runs(id)).length);
      expect(running()).toEqual([1, 1]);
      gates[1]!.open();
      await gates[2]!.reached;
      expect(running()).toEqual([1, 1]);
      for (const gate of gates) gate.open();
      for (const of of all) expect((await api.api.follow(of)).faults).toEqual([]);
    });

    it('go on with what is parked on any of them, and cancel it', async () => {
      const person = new Person(() => api.api);
      const asked = script({ calls: [QUESTION] }, { calls: [QUESTION] });
      const of = await api.api.begin('parked', asked);
      const following = new Following(api.api, of);
      const { request_id } = await following.record('INPUT_REQUIRED');
      await eventually(() => workers.every((worker) => !worker.runs(of.id)));
      expect(await person.respond(of, request_id, 'Fine.')).toMatchObject({ status: 200 });
      await following.record('INPUT_REQUIRED', 2);
      await eventually(() => workers.every((worker) => !worker.runs(of.id)));
      const cancelled = await person.cancel(of, '?wait=true');
      expect(cancelled).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
      expect((await following.end()).faults).toEqual([]);
      await eventually(async () => (await redis.keys(`*${of.id}*`)).length === 0);
    });

    it('count together what a chat calls within a minute', async () => {
      const calls = (count: number) =>
        script({
          calls: Array.from({ length: count }, (_, n) => ({
            name: 'calculator',
            arguments: { expression: `${n}+1` },
          })),
        });
      const gates = [new Gate(), new Gate()];
      const busy: Interaction[] = [];
      const occupyOne = async (n: number): Promise<void> => {
        fake.reply({ text: [gates[n]!, 'Done.'] });
        busy.push(await api.api.begin(`busy-${n}`, 'Hello?'));
        await gates[n]!.reached;
      };
      await occupyOne(0);
      const first = await api.api.say('counted', calls(3)); // on the other one
      expect(first.list('TOOL_RESULT').map(({ is_error }) => is_error)).toEqual([
        false,
        false,
        false,
      ]);
      await occupyOne(1);
      gates[0]!.open();
      await api.api.follow(busy[0]!);
      const second = await api.api.say('counted', calls(1)); // where the chat has not been
      expect(second.list('TOOL_RESULT')).toMatchObject([
        { is_error: true, tool_output: expect.stringContaining('within a minute') },
      ]);
      gates[1]!.open();
      await api.api.follow(busy[1]!);
    });

    it('go on with a chat without asking the store what was said, unless it was edited', async () => {
      const { runs = opened.stores } = opened.stores;
      const ask = jest.spyOn(runs.interactions, 'getPreviousState');
      const askEnd = jest.spyOn(runs.interactions, 'findFinalState');
      const first = await api.api.begin('hot', 'One.');
      const list = `parley:chat:${await findUid(opened.stores, 'hot')}`;
      const kept = (): Promise<string[]> => redis.lrange(list, 1, -1);
      await api.api.follow(first);
      await eventually(async () => (await kept()).length === 2);
      const heard = (): unknown =>
        fake.requests.at(-1)!.body.messages.filter(({ role }: { role: string }) => role === 'user');
      const said = (...texts: string[]) => texts.map((content) => ({ role: 'user', content }));
      for (const text of ['Two.', 'Three.']) {
        const known = await redis.lindex(list, 0);
        await api.api.say('hot', text);
        await eventually(async () => (await redis.lindex(list, 0)) !== known);
      }
      expect(heard()).toEqual(said('One.', 'Two.', 'Three.'));
      // the first one might go on from messages of the chat
      expect(ask.mock.calls).toEqual([[first.id]]);
      expect(askEnd).not.toHaveBeenCalled();
      await api.api.patch('/chats/hot', { head_interaction_id: first.id });
      await api.api.say('hot', 'Two!');
      expect(heard()).toEqual(said('One.', 'Two!'));
      expect(askEnd.mock.calls.map(([id]) => id)).toEqual([first.id]);
      ask.mockRestore();
      askEnd.mockRestore();
      expect(await api.api.delete('/chats/hot')).toMatchObject({ status: 204 });
      expect(await kept()).toEqual([]);
    });

    it('hand over what they run when they are stopped', async () => {
      const gate = new Gate();
      fake.reply({ text: ['Half', gate] }, { text: 'Whole.' });
      const of = await api.api.begin('handed', 'Hello?');
      const following = new Following(api.api, of);
      await eventually(() => following.reader.openText === 'Half');
      const leaving = workers.find((worker) => worker.runs(of.id))!;
      await leaving.close();
      const { faults, records } = await following.end();
      expect(faults).toEqual([]);
      expect(records.at(-1)).toMatchObject({ status: 'COMPLETED' });
      workers = [...workers.filter((worker) => worker !== leaving), await start('worker')];
    });
  });
}
