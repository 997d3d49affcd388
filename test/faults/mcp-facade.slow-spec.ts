import { CLIENTS, connect } from '../clients/mcp.js';
import type { FormAnswer, McpClient } from '../clients/mcp.js';
import { Gate } from '../support/gate.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { freePort } from '../support/server/free-port.js';
import { onStores, PGLITE } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

describe('A call of an MCP client whose server is killed in the middle of it', () => {
  let fake: FakeOpenAi;
  let server: ServerProcess | undefined;
  let client: McpClient | undefined;

  beforeAll(async () => {
    fake = await FakeOpenAi.start();
  });
  afterEach(async () => {
    await client?.close();
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

      const start = async (PORT: string) => {
        const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
        const env = { ...models, ...data.env, PORT, LEASE_TTL_MS: '4000' };
        server = await ServerProcess.start(env);
        return server.api();
      };

      // A client that has had no event yet knows of no call to go on with.
      it.each(CLIENTS)('has its answer once the server is there again: %s (I3)', async (each) => {
        const chat_id = `killed-${CLIENTS.indexOf(each)}`;
        const [gate, hasBegun] = [new Gate(), new Gate()];
        fake.reply({ text: ['Half ', gate] });
        const port = String(await freePort());
        const { url } = await start(port);
        client = await connect(each, { url });
        const asked = fake.requests.length + 1;
        const onprogress = () => hasBegun.open();
        const called = client.callTool('react', { message: 'Hi', chat_id }, { onprogress });
        await Promise.all([fake.request(asked), hasBegun.pass()]);
        await server!.kill('SIGKILL');
        fake.reply({ text: 'Whole answer.' });
        const api = await start(port);
        const { structuredContent } = await called;
        expect(structuredContent).toMatchObject({ answer: 'Whole answer.', chat_id });
        const { interactions } = (await api.get(`/chats/${chat_id}`)).body;
        expect(interactions).toMatchObject([{ id: structuredContent!.interaction_id }]);
        gate.open();
      });

      it.each(CLIENTS)(
        'goes on with a form that was answered after the server was there again: %s (I5)',
        async (each) => {
          const chat_id = `asked-${CLIENTS.indexOf(each)}`;
          const [isAsked, answers] = [new Gate(), new Gate()];
          const onForm = async (): Promise<FormAnswer> => {
            isAsked.open();
            await answers.pass();
            return { action: 'accept', content: { answer: 'Bonn' } };
          };
          const question = { name: 'ask_human', arguments: { question: 'Which city?' } };
          fake.reply({ calls: [question] }, { text: 'Bonn it is.' });
          const port = String(await freePort());
          const { url } = await start(port);
          client = await connect(each, { url, onForm });
          const called = client.callTool('react', { message: 'Hi', chat_id });
          await isAsked.pass();
          await server!.kill('SIGKILL');
          const api = await start(port);
          answers.open();
          expect((await called).structuredContent).toMatchObject({ answer: 'Bonn it is.' });
          const { interactions } = (await api.get(`/chats/${chat_id}`)).body;
          expect(interactions).toMatchObject([{ status: 'COMPLETED' }]);
        },
      );
    });
});
