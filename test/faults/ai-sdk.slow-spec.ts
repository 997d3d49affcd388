import { Gate } from '../support/gate.js';
import { eventually } from '../support/eventually.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { VERSIONS, openChat } from '../clients/ai-sdk.js';
import type { Chat } from '../clients/ai-sdk.js';
import { onStores, PGLITE } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

describe('A chat of the AI SDK whose server is killed in the middle of an answer', () => {
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

      it.each(VERSIONS)(
        'has the whole answer after it resumes, with version %s (I3)',
        async (version) => {
          const id = `killed-${version}`;
          const gate = new Gate();
          fake.reply({ text: ['Half ', gate] });
          const chat = openChat(version, { url: await start(), id });
          const sent = chat.sendMessage({ text: 'Hi' });
          await eventually(() => textOf(chat) === 'Half ');
          await server!.kill('SIGKILL');
          await sent;
          expect(chat.status).toBe('error');
          const held = new Gate();
          fake.reply({ text: ['Whole', held, ' answer.'] });
          const messages = chat.messages.slice(0, 1);
          const page = openChat(version, { url: await start(), id, messages });
          let resuming: Promise<void> | undefined;
          await eventually(() => {
            resuming ??= page.resumeStream().finally(() => (resuming = undefined));
            return page.messages.length > 1;
          });
          held.open();
          await eventually(() => page.status === 'ready' && textOf(page) === 'Whole answer.');
          expect(page.messages.map((message) => message.id)).toEqual([
            ...chat.messages.map((message) => message.id),
          ]);
        },
      );
    });
});

/** The last text of the answer. */
function textOf({ messages }: Chat): string | undefined {
  return messages[1]?.parts.findLast(({ type }) => type === 'text')?.text;
}
