import type { Environment } from '../../src/config/load-config.js';
import type { ApiClient } from '../support/client/api-client.js';
import { Person } from '../support/client/person.js';
import { eventually } from '../support/eventually.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { onStores, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { WebhookReceiver } from '../support/server/webhook-receiver.js';

const ASKS = script({ calls: [{ name: 'calculator', arguments: { expression: '6*7' } }] });

describe('A server that is killed between a commit and the delivery of its webhook', () => {
  let fake: FakeOpenAi;
  let receiver: WebhookReceiver;
  let server: ServerProcess | undefined;
  let url: string;

  const start = async (env: Environment): Promise<ApiClient> => {
    const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
    const webhooks = { WEBHOOK_URL: url, WEBHOOK_SECRET: 'a-secret-of-16-or-more' };
    const times = { PARK_AFTER_MS: '0', LEASE_TTL_MS: '4000' };
    server = await ServerProcess.start({ ...models, ...webhooks, ...times, ...env });
    return server.api();
  };

  beforeAll(async () => {
    fake = await FakeOpenAi.start();
    fake.otherwise(playScript);
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    url = receiver.url;
  });
  afterEach(async () => {
    await server?.kill('SIGKILL');
    await receiver.stop();
    expect(fake.violations).toEqual([]);
  });
  afterAll(() => fake.stop());

  for (const { name, fault, create } of onStores(PGLITE, POSTGRES))
    (fault ? describe.skip : describe)(`on ${name}`, () => {
      let data: ProcessData;
      beforeEach(async () => {
        data = await create();
      });
      afterEach(() => data.remove());

      it('delivers it after the next start, under the same id if it was being sent', async () => {
        receiver.behaviour = 'hang';
        let api = await start(data.env);
        const waits = await new Person(() => api).say('asks', ASKS);
        const { approval_id } = await waits.record('APPROVAL_REQUIRED');
        await eventually(() => receiver.received.length === 1);
        await server!.kill('SIGKILL');
        receiver.behaviour = 200;
        api = await start(data.env);
        await eventually(() => receiver.received.length === 2);
        for (const { delivery, body } of receiver.received) {
          expect([delivery, body.type]).toEqual([approval_id, 'request_opened']);
          expect(body.interaction_id).toBe(waits.of.id);
        }
        await new Person(() => api).approve(waits.of, approval_id);
        await eventually(() => receiver.received.length === 3);
        expect(receiver.received[2]!.body).toMatchObject({
          ...{ type: 'interaction_complete', interaction_id: waits.of.id },
          interaction: { status: 'COMPLETED', answer: 'Done.' },
        });
      });

      it('delivers each end that a reader has seen before the kill', async () => {
        let api = await start(data.env);
        const ids: string[] = [];
        for (let n = 0; n < 5; n++) {
          const reader = await api.say(`ends-${n}`, 'Hello');
          ids.push(reader.find('INTERACTION_COMPLETE')!.interaction_id);
        }
        await server!.kill('SIGKILL'); // most likely before the next look at the outbox
        api = await start(data.env);
        const told = () => new Set(receiver.received.map(({ body }) => body.interaction_id));
        await eventually(() => told().size === ids.length);
        expect([...told()].toSorted()).toEqual(ids.toSorted());
      });
    });
});
