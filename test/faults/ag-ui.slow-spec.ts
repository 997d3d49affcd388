import { Gate } from '../support/gate.js';
import { eventually } from '../support/eventually.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { AG_UI_VERSIONS, openAgent, openCopilotKit } from '../clients/ag-ui.js';
import type { RemoteAgent } from '../clients/ag-ui.js';
import { onStores, PGLITE } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

describe('A thread of AG-UI whose server is killed in the middle of an answer', () => {
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

      const start = async (): Promise<string> => {
        const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
        server = await ServerProcess.start({ ...models, LEASE_TTL_MS: '4000', ...data.env });
        return (await server.api()).url;
      };

      it.each([...AG_UI_VERSIONS, 'CopilotKit'] as const)(
        'has the whole answer after its page asks again, with %s (I3)',
        async (client) => {
          const threadId = `killed-${client.slice(0, 1)}`;
          const open = (url: string): RemoteAgent =>
            client === 'CopilotKit'
              ? openCopilotKit({ url, threadId, fetch: fetchUntilCut })
              : openAgent(client, { url, threadId, fetch: fetchUntilCut });
          const gate = new Gate();
          fake.reply({ text: ['Half ', gate] });
          const agent = open(await start());
          agent.addMessage({ id: 'u1', role: 'user', content: 'Hi' });
          const ended = agent.runAgent().catch((error: unknown) => error);
          await eventually(() => textOf(agent) === 'Half ');
          await server!.kill('SIGKILL');
          await ended;
          const held = new Gate();
          fake.reply({ text: ['Whole', held, ' answer.'] });
          const page = open(await start());
          page.setMessages(agent.messages); // with half of the answer
          const again = client === 'CopilotKit' ? page.connectAgent() : page.runAgent();
          await eventually(() => textOf(page) === 'Whole');
          held.open();
          await again;
          expect(page.messages.map(({ role, content }) => [role, content])).toEqual([
            ['user', 'Hi'],
            ['assistant', 'Whole answer.'],
          ]);
        },
      );
    });
});

function textOf({ messages }: RemoteAgent): string | undefined {
  return messages.findLast(({ role }) => role === 'assistant')?.content;
}

/** A body that is cut ends: the packages leave the rejection of another unhandled. */
async function fetchUntilCut(url: string, init: RequestInit): Promise<Response> {
  const { body, status, headers } = await fetch(url, init);
  const reader = body!.getReader();
  const pull = async (controller: ReadableStreamDefaultController): Promise<void> => {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done) controller.close();
    else controller.enqueue(value);
  };
  return new Response(new ReadableStream({ pull }), { status, headers });
}
