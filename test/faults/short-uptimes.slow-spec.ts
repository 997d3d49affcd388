import { setTimeout as delay } from 'node:timers/promises';
import type { EventReader } from '../support/client/event-reader.js';
import { Gate } from '../support/gate.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { random } from '../support/random.js';
import { onOneStore, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import type { Interaction } from '../../src/protocol/wire/interaction.js';

const INTERACTIONS = 10;
const KILLS = 10;
const UPTIME_MS = [150, 1_750] as const;
const THINKING_MS = [500, 1_500] as const;

// Slow: the kills come by the clock, as they do when a deployment goes wrong.
describe('A server that is killed again and again soon after its start', () => {
  const next = random(7);
  const between = ([least, most]: readonly [number, number]) => least + next() * (most - least);
  let fake: FakeOpenAi;
  let server: ServerProcess | undefined;

  beforeAll(async () => {
    fake = await FakeOpenAi.start();
    fake.otherwise(() => {
      const thought = new Gate();
      setTimeout(() => thought.open(), between(THINKING_MS));
      return { text: [thought, 'I thought.'] };
    });
  });
  afterEach(() => server?.kill('SIGKILL'));
  afterAll(() => fake.stop());

  for (const { name, fault, create } of onOneStore(PGLITE, POSTGRES))
    (fault ? describe.skip : describe)(`on ${name}`, () => {
      let data: ProcessData;
      beforeAll(async () => {
        data = await create();
      });
      afterAll(() => data.remove());

      const start = async () => {
        const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
        server = await ServerProcess.start({ ...models, LEASE_TTL_MS: '1000', ...data.env });
        return server.api();
      };

      it('gives none of its interactions up', async () => {
        let api = await start();
        const begin = (_: unknown, n: number) => api.begin(`chat-${n}`, 'Think for a while.');
        const all: Interaction[] = await Promise.all(Array.from({ length: INTERACTIONS }, begin));
        for (let kills = 0; kills < KILLS; kills++) {
          await delay(between(UPTIME_MS));
          await server?.kill('SIGKILL');
          api = await start();
        }
        const readers: EventReader[] = await Promise.all(all.map((each) => api.follow(each)));
        const ends = readers.map(({ records }) => records.at(-1));
        expect(ends).toEqual(all.map(() => expect.objectContaining({ status: 'COMPLETED' })));
        for (const { faults } of readers) expect(faults).toEqual([]);
      });
    });
});
