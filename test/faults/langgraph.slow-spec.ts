import { PAGES } from '../clients/langgraph-stream.js';
import type { PageName, ThreadController } from '../clients/langgraph-stream.js';
import { collect, langGraphClient, valuesIn } from '../clients/langgraph.js';
import { eventually } from '../support/eventually.js';
import { Gate } from '../support/gate.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { PGLITE, onStores } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

const NAMES = Object.keys(PAGES) as PageName[];
const SAID = { messages: [{ type: 'human', content: 'Hi', id: 'm1' }] };

describe('A thread of LangGraph whose server is killed in the middle of an answer', () => {
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

      const start = async (port?: string): Promise<string> => {
        const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
        const own = port === undefined ? {} : { PORT: port };
        server = await ServerProcess.start({
          ...models,
          LEASE_TTL_MS: '4000',
          ...own,
          ...data.env,
        });
        return (await server.api()).url;
      };

      it('has the whole answer after it resumes, in the same run (I3)', async () => {
        const gate = new Gate();
        fake.reply({ text: ['Half ', gate] });
        const client = langGraphClient(await start());
        const { thread_id } = await client.threads.create();
        const { run_id } = await client.runs.create(thread_id, 'react', { input: SAID });
        await gate.reached;
        await server!.kill('SIGKILL');
        fake.reply({ text: 'Whole answer.' });
        const again = langGraphClient(await start());
        const options = { lastEventId: '-1', streamMode: ['values', 'messages-tuple'] as never };
        const chunks = await collect(again.runs.joinStream(thread_id, run_id, options));
        expect(valuesIn(chunks).messages).toMatchObject([
          { id: 'm1', content: 'Hi' },
          { content: 'Whole answer.' },
        ]);
        expect(chunks.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } });
      });

      it.each(NAMES)('shows it on a page that stays open, with %s', async (sdk) => {
        const gate = new Gate();
        fake.reply({ text: ['Half ', gate] });
        const url = await start();
        const threadId = `killed-${NAMES.indexOf(sdk)}`;
        const page = PAGES[sdk]({ url, threadId });
        await page.hydrationPromise;
        const sent = page.submit(SAID);
        await eventually(() => textsOf(page).includes('Half '));
        await server!.kill('SIGKILL');
        fake.reply({ text: 'Whole answer.' });
        await start(new URL(url).port);
        await sent;
        await eventually(() => textsOf(page).includes('Whole answer.'));
        // @langchain/react keeps what was cut, until the page is loaded again
        const left = textsOf(page).filter((text) => text !== 'Half ');
        expect(left).toEqual(['Hi', 'Whole answer.']);
        const loaded = PAGES[sdk]({ url, threadId });
        await loaded.hydrationPromise;
        await eventually(() => textsOf(loaded).length > 0);
        expect(textsOf(loaded)).toEqual(['Hi', 'Whole answer.']);
        await loaded.dispose();
        expect(page.rootStore.getSnapshot().error).toBeUndefined();
        await page.dispose();
      });
    });
});

function textsOf({ rootStore }: ThreadController): string[] {
  return rootStore.getSnapshot().messages.map(({ text }) => text);
}
