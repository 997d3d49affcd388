import type { ApiClient } from '../support/client/api-client.js';
import { FakeAnthropic } from '../support/model/fake-anthropic.js';
import { Person } from '../support/client/person.js';
import { onOneStore, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

const SIGNATURE = 'EqQBCkYIBRgC+/=ü👍🏽\u2028"\\ end ';
const KEY = 'sk-ant-a-secret-key';

describe("A model's thoughts when the server is killed before it goes on from them", () => {
  let fake: FakeAnthropic;
  let server: ServerProcess | undefined;

  beforeAll(async () => {
    fake = await FakeAnthropic.start();
  });
  afterEach(() => server?.kill('SIGKILL'));
  afterAll(() => fake.stop());

  const start = async (data: ProcessData): Promise<ApiClient> => {
    const models = {
      MODEL: 'anthropic/fake',
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: fake.baseUrl,
    };
    server = await ServerProcess.start({ ...data.env, ...models, LEASE_TTL_MS: '4000' });
    return server.api();
  };

  for (const { name, fault, create } of onOneStore(PGLITE, POSTGRES))
    (fault ? it.skip : it)(
      `are sent back from ${name} as they were, by the server after it`,
      async () => {
        const data = await create();
        const before = fake.requests.length;
        fake.reply(
          {
            thinking: 'Let me see.',
            signature: SIGNATURE,
            calls: [{ name: 'calculator', arguments: { expression: '6*7' } }],
          },
          { text: '42' },
        );
        let api = await start(data);
        const person = new Person(() => api);
        const following = await person.say('thoughts', 'What is 6*7?');
        const { approval_id } = await following.record('APPROVAL_REQUIRED');
        await server!.kill('SIGKILL');
        api = await start(data);
        await following.resume(api);
        expect((await person.approve(following.of, approval_id)).status).toBe(200);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.find('ANSWER')).toMatchObject({ content: '42' });
        expect(fake.violations).toEqual([]);
        const sent = fake.requests.slice(before).map(({ body }) => body);
        expect(sent).toHaveLength(2);
        expect(sent[1]!.messages[1].content[0]).toEqual({
          type: 'thinking',
          thinking: 'Let me see.',
          signature: SIGNATURE,
        });
        expect(server!.output).not.toContain(KEY);
        await server!.kill('SIGKILL');
        await data.remove();
      },
    );
});
