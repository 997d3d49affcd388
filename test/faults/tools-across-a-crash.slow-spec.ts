import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../src/config/load-config.js';
import type { ApiClient } from '../support/client/api-client.js';
import { builtServer } from '../support/server/built-server.js';
import { Effects } from '../support/tools/effects.js';
import type { EventReader } from '../support/client/event-reader.js';
import { eventually } from '../support/eventually.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { Gate } from '../support/gate.js';
import { onStores, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

const UNKNOWN =
  'The server stopped while this tool was running. It is unknown whether its effect took place: check before you call it again.';
const LONG = { token: 'mark', ms: 60_000 };

for (const { name, fault, create } of onStores(PGLITE, POSTGRES))
  (fault ? describe.skip : describe)(`A tool across a crash, on ${name}`, () => {
    let data: ProcessData;
    let folder: string;
    let fake: FakeOpenAi;
    let effects: Effects;
    let server: ServerProcess | undefined;

    beforeAll(async () => {
      data = await create();
      folder = await mkdtemp(join(tmpdir(), 'parley-tools-'));
      fake = await FakeOpenAi.start();
      effects = new Effects(join(folder, 'effects'));
    });
    beforeEach(() => writeFile(effects.path, ''));
    afterAll(async () => {
      await kill();
      await fake.stop();
      await data.remove();
      await rm(folder, { recursive: true, force: true });
    });

    /** The server that the test before has left, or a new one. */
    const start = async (env: Environment = {}): Promise<ApiClient> => {
      if (server?.isRunning) return server.api();
      const settings = {
        MODEL: 'openai/fake',
        OPENAI_BASE_URL: fake.baseUrl,
        LEASE_TTL_MS: '4000',
        CHAOS_EFFECTS: effects.path,
        ...data.env,
      };
      server = await ServerProcess.start({ ...settings, ...env }, [
        await builtServer('chaos/server/main.mjs'),
      ]);
      return server.api();
    };
    const kill = () => server?.kill('SIGKILL');
    const call = (tool: string, input: object) => ({
      calls: [{ name: tool, arguments: input }],
    });
    const results = (reader: EventReader) =>
      reader.list('TOOL_RESULT').map(({ tool_output, is_error }) => [tool_output, is_error]);

    it('is not started again if its effect must not happen twice; the model is told that it is unknown (I4)', async () => {
      fake.reply(call('deed', LONG), { text: 'Done.' });
      const of = await (await start()).begin('deed', { user_message: 'Go', approval_mode: 'auto' });
      await effects.wait('begin');
      await kill();
      const reader = await (await start()).follow(of);
      expect(reader.faults).toEqual([]);
      expect(reader.list('TOOL_STARTED')).toHaveLength(1);
      expect(results(reader)).toEqual([[UNKNOWN, true]]);
      expect(fake.requests.at(-1)!.body['messages'].at(-1)).toMatchObject({ content: UNKNOWN });
      expect(await effects.phases('deed')).toEqual(['begin']);
    });

    it('is started again if that does no harm (I4)', async () => {
      fake.reply(call('note', { token: 'mark', ms: 4_000 }), { text: 'Done.' });
      const of = await (await start()).begin('note', { user_message: 'Go', approval_mode: 'auto' });
      await effects.wait('begin');
      await kill();
      const reader = await (await start()).follow(of);
      expect(reader.faults).toEqual([]);
      expect(results(reader)).toEqual([['Left mark.', false]]);
      expect(await effects.phases('note')).toEqual(['begin', 'begin', 'end']);
    });

    it('is replayed if it acts through its context only: nobody is asked twice (I4, I5)', async () => {
      fake.reply(call('consult', { questions: ['One?', 'Two?'] }), { text: 'Done.' });
      const api = await start();
      const of = await api.begin('consult', 'Go');
      await answer(api, 'One?', 'first');
      await eventually(async () => (await pending(api)).includes('Two?'));
      await kill();
      const again = await start();
      await answer(again, 'Two?', 'second');
      const reader = await again.follow(of);
      expect(reader.faults).toEqual([]);
      expect(reader.list('INPUT_REQUIRED').map(({ question }) => question)).toEqual([
        'One?',
        'Two?',
      ]);
      expect(results(reader)).toEqual([['["first","second"]', false]]);
    });

    it('runs once, as it was approved, if the server is killed between the approval and its record (I5)', async () => {
      await kill();
      const busy = new Gate();
      const modified_input = { token: 'approved', ms: 0 };
      fake.reply(call('guarded', { token: 'proposed', ms: 0 }), { text: ['Busy', busy] });
      const api = await start({ MAX_CONCURRENT_RUNS: '1', PARK_AFTER_MS: '0' });
      const of = await api.begin('guarded', 'Go');
      await eventually(async () => (await items(api)).length === 1);
      await api.begin('busy', 'Go'); // has the only slot
      await busy.reached;
      const [{ id: approval_id } = { id: '' }] = await items(api);
      const decision = { approval_id, approved: true, reason: 'Fine.', modified_input };
      const path = `/chats/guarded/interactions/${of.id}/approve`;
      expect((await api.post(path, decision)).status).toBe(200);
      expect(
        (await api.get(`/chats/guarded/interactions/${of.id}`)).body.agent_events,
      ).toHaveLength(1);
      await kill();
      fake.otherwise({ text: 'Done.' });
      const again = await start();
      expect((await again.post(path, { ...decision, reason: 'Again.' })).status).toBe(400);
      const reader = await again.follow(of);
      expect(reader.faults).toEqual([]);
      expect(reader.list('APPROVED')).toMatchObject([{ reason: 'Fine.', modified_input }]);
      expect(results(reader)).toEqual([['Left approved.', false]]);
      expect(await effects.phases('guarded')).toEqual(['begin', 'end']);
    });
  });

interface Item {
  readonly id: string;
  readonly interaction_id: string;
  readonly chat_id: string;
  readonly question: string;
}

async function items(api: ApiClient): Promise<readonly Item[]> {
  return (await api.get('/requests?status=pending')).body.items as readonly Item[];
}

async function pending(api: ApiClient): Promise<readonly string[]> {
  return (await items(api)).map(({ question }) => question);
}

/** As soon as it is asked. */
async function answer(api: ApiClient, question: string, text: string): Promise<void> {
  await eventually(async () => (await pending(api)).includes(question));
  const {
    id: request_id,
    chat_id,
    interaction_id,
  } = (await items(api)).find((item) => item.question === question)!;
  const path = `/chats/${chat_id}/interactions/${interaction_id}/respond`;
  const { status } = await api.post(path, { request_id, answer: text });
  if (status !== 200) throw new Error(`The answer was answered with ${status}`);
}
