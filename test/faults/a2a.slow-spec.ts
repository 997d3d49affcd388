import { FoldedTask, TRANSPORTS, connect, message, stateOf, textsOf } from '../clients/a2a.js';
import type { Task } from '../clients/a2a.js';
import { Gate } from '../support/gate.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { onStores, PGLITE } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

describe('A task whose server is killed in the middle of an answer', () => {
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

      it.each(TRANSPORTS)(
        'is subscribed to afterwards, and has the whole answer, by %s (I3)',
        async (transport) => {
          const gate = new Gate();
          fake.reply({ text: ['Half ', gate] });
          const client = await connect(await start(), { transport });
          const seen = new FoldedTask();
          const cut = (async () => {
            for await (const response of client.sendMessageStream(message('Hi'))) {
              seen.take(response);
              if (textsOf(seen.task!)[0] === 'Half ') await server!.kill('SIGKILL');
            }
          })();
          await cut.catch(() => undefined); // how the connection ends is not ours
          expect([stateOf(seen.task!), textsOf(seen.task!)]).toEqual(['WORKING', ['Half ']]);
          const held = new Gate();
          fake.reply({ text: ['Whole', held, ' answer.'] });
          const again = await connect(await start(), { transport });
          const one = { tenant: '', id: seen.task!.id };
          const resumed = new FoldedTask();
          for await (const response of again.resubscribeTask(one)) {
            resumed.take(response);
            if (textsOf(resumed.task!)[0] === 'Whole') held.open();
          }
          const { task } = resumed;
          expect([stateOf(task!), textsOf(task!)]).toEqual(['COMPLETED', ['Whole answer.']]);
          const read: Task = await again.getTask(one);
          expect([read.status, textsOf(read)]).toEqual([task!.status, textsOf(task!)]);
          expect(task!.artifacts).toHaveLength(1);
        },
      );
    });
});
