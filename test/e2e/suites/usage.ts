import { script } from '../../support/model/scripted-answers.js';
import type { ApiClient } from '../../support/client/api-client.js';
import { eventually } from '../../support/eventually.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { ADMIN_KEY, makeKey, WITH_KEYS } from '../with-keys.js';
import { withPeople } from '../with-people.js';

const PRICES = { 'openai/fake': { input: 1, cached_input: 0.1, cache_write: 2, output: 2 } };
const PLAIN = { prompt_tokens: 100, completion_tokens: 10 };
const DETAILED = {
  ...{ prompt_tokens: 1000, completion_tokens: 50 },
  prompt_tokens_details: { cached_tokens: 900, cache_write_tokens: 50 },
  completion_tokens_details: { reasoning_tokens: 40 },
};

const OF_PLAIN = { input_tokens: 100, output_tokens: 10, cost_usd: 0.00012 };
const OF_DETAILED = {
  ...{ input_tokens: 1000, cached_tokens: 900, cache_write_tokens: 50 },
  ...{ output_tokens: 50, reasoning_tokens: 40, cost_usd: 0.00034 },
};
const OF_BOTH = {
  ...OF_DETAILED,
  ...{ input_tokens: 1100, output_tokens: 60, cost_usd: 0.00046 },
};

export function describeUsage(servers: Servers): void {
  describe('Usage', () => {
    describeOperator(servers);

    withPeople(servers, { MODEL_PRICES: JSON.stringify(PRICES) }, (server) => {
      it('is told of a turn, an agent, an interaction and a chat, with its cost', async () => {
        const prompt = script({ text: 'Read.', usage: PLAIN });
        const call = { name: 'agent', arguments: { prompt } };
        const user_message = script(
          { calls: [call], usage: DETAILED },
          { text: 'Done.', usage: PLAIN },
        );
        const reader = await server.api.say('told', { user_message });
        const turns = reader.list('TURN_COMPLETED').map(({ usage }) => usage);
        expect(turns).toEqual([OF_DETAILED, OF_PLAIN, OF_PLAIN]);

        const { body: chat } = await server.api.get('/chats/told');
        const whole = { ...OF_BOTH, input_tokens: 1200, output_tokens: 70, cost_usd: 0.00058 };
        expect(chat.interactions[0].usage).toEqual(whole);
        const { root } = (await server.api.get('/agents/tree?chat_id=told')).body;
        expect([root.usage, root.children[0].usage]).toEqual([OF_BOTH, OF_PLAIN]);

        await server.api.say('told', { user_message: script({ text: 'More.', usage: PLAIN }) });
        const { body: longer } = await server.api.get('/chats/told?limit=1');
        const costs = { input_tokens: 1300, output_tokens: 80, cost_usd: 0.0007 };
        expect(longer.usage).toEqual({ ...whole, ...costs });
      });

      it('has no cost where no price is known', async () => {
        const user_message = script({ text: 'Free?', usage: PLAIN });
        const body = { user_message, model: 'openai/unpriced' };
        const reader = await server.api.say('unpriced', body);
        const usage = { input_tokens: 100, output_tokens: 10 };
        expect(reader.find('TURN_COMPLETED')).toMatchObject({ usage });
        expect((await server.api.get('/chats/unpriced')).body.usage).toEqual(usage);
      });
    });
  });
}

interface OfTenant {
  readonly tenant_id: string;
}

interface Action {
  readonly action: string;
}

function describeOperator(servers: Servers): void {
  const env = { ...WITH_KEYS, MODEL_PRICES: JSON.stringify(PRICES) };
  const group = (server: ServerUnderTest): void => {
    const admin = () => server.api.bearing(ADMIN_KEY);
    const today = () => server.clock.now().toISOString().slice(0, 10);
    const member = async (tenant_id: string): Promise<ApiClient> => {
      const { key } = await makeKey(server.api, ['chat', 'operate'], { tenant_id });
      return server.api.bearing(key);
    };

    it('of all tenants is for ADMIN_KEY, which can stop what costs too much', async () => {
      server.clock.leaveMidnight();
      const [acme, zoo] = [await member('acme'), await member('zoo')];
      const spend = (usage: typeof PLAIN) => ({ user_message: script({ text: 'Done.', usage }) });
      await acme.say('one', spend(DETAILED));
      await acme.say('two', spend(PLAIN));
      await zoo.say('one', spend(PLAIN));
      expect((await acme.delete('/chats/two')).status).toBe(204);
      const runaway = await acme.begin('one', { user_message: script({ hang: true }) });
      const queued = { user_message: 'Then', on_conflict: 'enqueue' };
      const waiting = await acme.begin('one', queued);
      const other = await zoo.begin('one', { user_message: script({ hang: true }) });

      const since = today();
      const { body: sums } = await admin().get(`/usage?tenant_id=*&since=${since}`);
      expect(sums.items).toMatchObject([
        { tenant_id: 'acme', day: expect.any(String), interactions: 4, usage: OF_BOTH },
        { tenant_id: 'zoo', interactions: 2, usage: OF_PLAIN },
      ]);
      const { body: own } = await zoo.get(`/usage?by=user`);
      const row = { tenant_id: 'zoo', user_id: 'ann', interactions: 2, usage: OF_PLAIN };
      expect(own).toMatchObject({ items: [row], has_more: false });
      const models = await admin().get('/usage?by=model&tenant_id=*&limit=1');
      expect(models.body).toMatchObject({
        items: [{ tenant_id: 'acme', model: 'openai/fake', usage: OF_BOTH }],
        has_more: true,
      });

      const tenantsOf = async (query: string) => {
        const { body } = await admin().get(`/interactions${query}`);
        return body.items.map(({ tenant_id }: OfTenant) => tenant_id);
      };
      expect(await tenantsOf('')).toEqual([]);
      expect(await tenantsOf('?tenant_id=zoo')).toEqual(['zoo']);
      expect(await tenantsOf('?tenant_id=acme&chat_id=one')).toEqual(['acme', 'acme']);
      expect(await tenantsOf('?tenant_id=*')).toEqual(['acme', 'acme', 'zoo']);

      const stopped = await admin().post('/interactions/cancel', { all: true, tenant_id: 'acme' });
      expect(stopped.body.items).toEqual([
        { interaction_id: runaway.id, tenant_id: 'acme', outcome: 'cancelling', status: 'RUNNING' },
        { interaction_id: waiting.id, tenant_id: 'acme', outcome: 'cancelling', status: 'QUEUED' },
      ]);
      await eventually(async () => (await tenantsOf('?tenant_id=*')).join() === 'zoo');
      const auditor = await makeKey(server.api, ['admin'], { tenant_id: 'acme' });
      const { body: trail } = await server.api.bearing(auditor.key).get('/audit');
      const cancels = trail.items.filter(
        ({ action }: Action) => action === 'interaction.cancelled',
      );
      expect(cancels).toMatchObject([
        { user_id: 'admin', interaction_id: runaway.id, detail: { key_id: 'admin' } },
        { user_id: 'admin', interaction_id: waiting.id, detail: { key_id: 'admin' } },
      ]);
      const all = await admin().post('/interactions/cancel', { all: true, tenant_id: '*' });
      expect(all.body.items).toMatchObject([{ interaction_id: other.id, tenant_id: 'zoo' }]);
    });

    it('by model counts each turn at the one that answered, with or without a price', async () => {
      const tenant = await member('models');
      const spend = (text: string) => ({
        model: 'openai/other, openai/fake',
        user_message: script({ text, usage: PLAIN }),
      });
      server.fake.reply({ status: 503, body: { error: { message: 'Busy.' } } });
      await tenant.say('one', spend('From the second.'));
      await tenant.say('one', spend('From the first.'));
      const { cost_usd, ...unpriced } = OF_PLAIN;
      const of = { tenant_id: 'models', interactions: 1 };
      const models = [
        { ...of, model: 'openai/fake', usage: OF_PLAIN, unpriced_tokens: 0 },
        { ...of, model: 'openai/other', usage: unpriced, unpriced_tokens: 110 },
      ];
      const both = { input_tokens: 200, output_tokens: 20, cost_usd };
      const whole = { ...of, interactions: 2, usage: both, unpriced_tokens: 110 };
      const expectSums = async (): Promise<void> => {
        expect((await tenant.get('/usage?by=model')).body.items).toEqual(models);
        expect((await tenant.get('/usage?by=user')).body.items).toEqual([
          { ...whole, user_id: 'ann' },
        ]);
        expect((await tenant.get('/usage')).body.items).toMatchObject([whole]);
      };
      await expectSums();
      expect((await tenant.delete('/chats/one')).status).toBe(204);
      await expectSums();
    });

    it('of another tenant is refused to all others', async () => {
      const { key } = await makeKey(server.api, ['admin', 'operate'], { tenant_id: 'acme' });
      const boss = server.api.bearing(key);
      for (const tenant_id of ['zoo', '*']) {
        const body = { all: true, tenant_id };
        const replies = [
          await boss.get(`/usage?tenant_id=${tenant_id}`),
          await boss.get(`/interactions?tenant_id=${tenant_id}`),
          await boss.post('/interactions/cancel', body),
        ];
        for (const { status, body: problem } of replies)
          expect([status, problem.type]).toEqual([403, '/problems/foreign_tenant']);
      }
      expect((await boss.get('/usage?tenant_id=acme')).status).toBe(200);
    });

    it('is for days that make sense', async () => {
      const days = [
        'since=yesterday',
        'until=2026-02-31',
        'until=0000-01-01',
        'since=2026-02-02&until=2026-02-01',
      ];
      const others = ['by=tenant', 'limit=0', 'tenant_id=.', 'since=2020-01-01'];
      for (const query of [...days, ...others])
        expect([query, (await admin().get(`/usage?${query}`)).status]).toEqual([query, 400]);
      const unclear = await admin().get('/interactions?tenant_id=*&chat_id=one');
      expect([unclear.status, unclear.body.errors[0].field]).toEqual([400, 'chat_id']);
    });
  };
  withPeople(servers, env, group, { isOwn: true });
}
