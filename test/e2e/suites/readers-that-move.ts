import { setTimeout as delay } from 'node:timers/promises';
import type { EventStream } from '../../support/client/event-stream.js';
import { eventually } from '../../support/eventually.js';
import { FakeOpenAi } from '../../support/model/fake-openai.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { findRedisFault, testRedisUrl } from '../../support/store/test-redis.js';
import { TestServer } from '../../support/server/test-server.js';
import { POSTGRES } from '../stores.js';
import type { OpenStore } from '../stores.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

const fault = POSTGRES.fault ?? (await findRedisFault());

type InteractionRef = Pick<Interaction, 'chat_id' | 'id'>;

/** Long enough for whoever moves, however busy the machine is. */
const GRACE_MS = 1_500;
const HANGS = script({ hang: true });

export function describeReadersThatMove(): void {
  (fault ? describe.skip : describe)('Readers that move between two processes', () => {
    let opened: OpenStore;
    let fake: FakeOpenAi;
    let here: TestServer;
    let there: TestServer;

    beforeAll(async () => {
      opened = await POSTGRES.open();
      fake = await FakeOpenAi.start();
      fake.otherwise(playScript);
      const env = {
        DATABASE_URL: 'postgres://is.opened/by-the-test',
        REDIS_URL: testRedisUrl(4),
        DISCONNECT_GRACE_MS: String(GRACE_MS),
      };
      const start = () => TestServer.start(opened.stores, { env, fake });
      [here, there] = [await start(), await start()];
    });
    afterAll(async () => {
      await Promise.all([here?.close(), there?.close()]);
      await Promise.all([fake?.stop(), opened?.close()]);
    });
    afterEach(() => expect(fake?.violations ?? []).toEqual([]));

    /** Reads to the first event, and stays. */
    const join = async (chat_id: string, stream: EventStream) => {
      const { value: first } = await stream[Symbol.asyncIterator]().next();
      return { of: { chat_id, id: first!.data.interaction_id }, leave: () => stream.close() };
    };
    const start = async (chat: string) =>
      join(chat, await here.api.stream(chat, { user_message: HANGS }));
    const untilCancelled = (of: InteractionRef): Promise<void> =>
      eventually(async () => (await here.api.interaction(of)).status === 'CANCELLED');

    it('keep it going from the other one, as long as they are there', async () => {
      const reader = await start('moved');
      const { of } = reader;
      const other = await join('moved', await there.api.events(of));
      reader.leave();
      const clock = await start('clock');
      clock.leave();
      await untilCancelled(clock.of); // the grace of the first one was over before
      expect(await here.api.interaction(of)).toMatchObject({ status: 'RUNNING' });
      other.leave();
      await untilCancelled(of);
    });

    it('have the whole grace again, wherever they were last', async () => {
      const reader = await start('back-and-forth');
      const { of } = reader;
      reader.leave();
      const other = await join(of.chat_id, await there.api.events(of));
      await delay(GRACE_MS / 2); // of the first one
      const left_at = Date.now();
      other.leave();
      await untilCancelled(of);
      const { completed_at } = await here.api.interaction(of);
      expect(Date.parse(completed_at!) - left_at).toBeGreaterThanOrEqual(GRACE_MS);
    });
  });
}
