import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../src/config/load-config.js';
import type { ApiClient } from '../support/client/api-client.js';
import { builtServer } from '../support/server/built-server.js';
import { eventually } from '../support/eventually.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { Following } from '../support/store/following.js';
import { Person } from '../support/client/person.js';
import { onStores, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { ServerProcess } from '../support/server/server-process.js';

describe('A run that is parked on an approval when the server is killed', () => {
  let fake: FakeOpenAi;
  let server: ServerProcess | undefined;
  let folder: string;
  let notes: string;

  const start = async (env: Environment): Promise<ApiClient> => {
    const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
    const settings = { ...models, PARK_AFTER_MS: '0', LEASE_TTL_MS: '4000', ...env };
    server = await ServerProcess.start(settings, [
      await builtServer('dist/test/support/server/faulty-server.js'),
    ]);
    return server.api();
  };

  beforeAll(async () => {
    fake = await FakeOpenAi.start();
    fake.otherwise(playScript);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-notes-'));
    notes = join(folder, 'notes.txt');
  });
  afterEach(async () => {
    await server?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
    expect(fake.violations).toEqual([]);
  });
  afterAll(() => fake.stop());

  for (const { name, fault, create } of onStores(PGLITE, POSTGRES))
    (fault ? describe.skip : describe)(`on ${name}`, () => {
      let data: ProcessData;
      beforeAll(async () => {
        data = await create();
      });
      afterAll(() => data.remove());

      it('has asked once, and runs what was approved once, when somebody answers the next server (I5, I11)', async () => {
        const call = { name: 'note', arguments: { path: notes, text: 'as the model wrote it' } };
        let api = await start(data.env);
        const person = new Person(() => api);
        const of = await api.begin('parked', script({ calls: [call] }));
        const following = new Following(api, of);
        const { approval_id } = await following.record('APPROVAL_REQUIRED');
        await eventually(async () => (await runsOf(api)) === 0);
        const asked = fake.requests.length;

        await server!.kill('SIGKILL');
        api = await start(data.env);
        await following.resume(api);
        expect((await person.inbox('status=pending')).body.items).toMatchObject([
          { id: approval_id, interaction_id: of.id },
        ]);
        const modified_input = { path: notes, text: 'as it was approved' };
        expect((await person.approve(of, approval_id, { modified_input })).status).toBe(200);
        const again = await person.approve(of, approval_id);
        expect([again.status, again.body.type]).toEqual([400, '/problems/already_processed']);

        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.types).toEqual([
          'INTERACTION_STARTED',
          'TOOL_CALL',
          'TURN_COMPLETED',
          'APPROVAL_REQUIRED',
          'APPROVED',
          'TOOL_STARTED',
          'TOOL_RESULT',
          'ANSWER',
          'TURN_COMPLETED',
          'INTERACTION_COMPLETE',
        ]);
        expect(reader.find('APPROVED')).toMatchObject({ approval_id, modified_input });
        expect(reader.find('TOOL_RESULT')).toMatchObject({
          ...{ is_error: false, tool_output: 'Noted: as it was approved' },
        });
        expect(await readFile(notes, 'utf8')).toBe('as it was approved\n');
        expect(fake.requests).toHaveLength(asked + 1);
        expect((await person.inbox('status=pending')).body.items).toEqual([]);
      });
    });
});

/** How many runs the server has in memory, by its metrics. */
async function runsOf(api: ApiClient): Promise<number> {
  const { body } = await api.get('/metrics');
  const counts = [...String(body).matchAll(/^parley_runs\{[^}]*\} (\d+)$/gm)];
  if (counts.length === 0) throw new Error(`no parley_runs in ${String(body)}`);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
