import OpenAI from 'openai';
import { OpenAI7 } from '../clients/openai-7.js';
import { Gate } from '../support/gate.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { onStores, PGLITE } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

type Event = OpenAI.Responses.ResponseStreamEvent;

const CLIENTS = [
  ['openai 6', OpenAI],
  ['openai 7', OpenAI7 as unknown as typeof OpenAI],
] as const;

describe('A response whose server is killed in the middle of an answer', () => {
  let fake: FakeOpenAi;
  let server: ServerProcess | undefined;

  beforeAll(async () => {
    fake = await FakeOpenAi.start();
  });
  afterEach(async () => {
    await server?.kill('SIGKILL');
    expect(fake.violations).toEqual([]);
  });
  afterAll(() => fake.stop());

  for (const { name, create } of onStores(PGLITE))
    describe(`on ${name}`, () => {
      let data: ProcessData;
      beforeAll(async () => {
        data = await create();
      });
      afterAll(() => data.remove());

      const start = async (Client: typeof OpenAI): Promise<OpenAI> => {
        const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
        server = await ServerProcess.start({ ...models, LEASE_TTL_MS: '4000', ...data.env });
        const baseURL = `${(await server.api()).url}/v1`;
        return new Client({ baseURL, apiKey: 'none', maxRetries: 0 });
      };

      it.each(CLIENTS)(
        'is whole for a reader that comes back with its last number, with %s (I3)',
        async (_, Client) => {
          const gate = new Gate();
          fake.reply({ text: ['Half ', gate] });
          const client = await start(Client);
          const body = { model: 'react', input: 'Hi', background: true };
          const run = await client.responses.create({ ...body, stream: true });
          const events: Event[] = [];
          const read = async (): Promise<void> => {
            for await (const event of run) {
              events.push(event);
              if (event.type === 'response.output_text.delta') await server!.kill('SIGKILL');
            }
          };
          await expect(read()).rejects.toThrow();
          const [{ response }] = events as unknown as [{ readonly response: { id: string } }];
          fake.reply({ text: 'Whole answer.' });
          const again = await start(Client);
          const after = { stream: true, starting_after: events.at(-1)!.sequence_number } as const;
          for await (const event of await again.responses.retrieve(response.id, after))
            events.push(event);
          const last = events.at(-1);
          if (last?.type !== 'response.completed') throw new Error(JSON.stringify(last));
          const whole = [['completed', 'Whole answer.']];
          expect(messagesIn(last.response)).toEqual(whole);
          const numbers = events.map((event) => event.sequence_number);
          expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
          expect(messagesIn(await again.responses.retrieve(response.id))).toEqual(whole);
        },
      );
    });
});

function messagesIn({ output }: OpenAI.Responses.Response): [string, string][] {
  return output.flatMap((item) =>
    item.type === 'message'
      ? [[item.status, item.content.map((part) => ('text' in part ? part.text : '')).join('')]]
      : [],
  );
}
