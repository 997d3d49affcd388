import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, Reply } from '../support/client/api-client.js';
import { Person } from '../support/client/person.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { builtServer } from '../support/server/built-server.js';
import { onStores, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { Following } from '../support/store/following.js';
import { EXHAUSTIVE } from '../support/thoroughness.js';

const ROUNDS = EXHAUSTIVE ? 15 : 4;
/** Approvals of one round. They are sent one after another, before and after the signal. */
const ABREAST = 6;
const GAP_MS = 2;
/** A call that had begun is reported, not run again (I4). */
const STOPPED = expect.stringMatching(/server (was )?stopped/);

describe('A decision that is sent while the server is told to stop', () => {
  let fake: FakeOpenAi;
  let server: ServerProcess;
  let data: ProcessData;
  let folder: string;

  const start = async (): Promise<ApiClient> => {
    const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
    const settings = { ...models, SHUTDOWN_GRACE_MS: '20000', LEASE_TTL_MS: '4000' };
    server = await ServerProcess.start({ ...settings, ...data.env }, [
      await builtServer('dist/test/support/server/faulty-server.js'),
    ]);
    return server.api();
  };

  beforeAll(async () => {
    fake = await FakeOpenAi.start();
    fake.otherwise(playScript);
    folder = await mkdtemp(join(tmpdir(), 'parley-notes-'));
  });
  afterAll(async () => {
    await fake.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const { name, fault, create } of onStores(PGLITE, POSTGRES))
    (fault ? describe.skip : describe)(`on ${name}`, () => {
      beforeAll(async () => {
        data = await create();
      });
      afterAll(async () => {
        await server.kill('SIGKILL');
        await data.remove();
      });

      it(
        'is answered and counts, or is refused and can be sent again; it is carried out once',
        async () => {
          let api = await start();
          const person = new Person(() => api);
          for (let round = 0; round < ROUNDS; round++) {
            const path = join(folder, `${name}-${round}.txt`);
            const asked = await Promise.all(
              Array.from({ length: ABREAST }, async (_, n) => {
                const call = { name: 'note', arguments: { path, text: `note ${n}` } };
                const of = await api.begin(`chat-${round}-${n}`, script({ calls: [call] }));
                const following = new Following(api, of);
                const { approval_id } = await following.record('APPROVAL_REQUIRED');
                return { of, following, approval_id };
              }),
            );
            const replies = asked.map(async ({ of, approval_id }, n) => {
              await delay(n * GAP_MS);
              return person.approve(of, approval_id).catch(() => undefined);
            });
            await delay(round % (ABREAST * GAP_MS));
            const ended = server.kill('SIGTERM');
            const first = await Promise.all(replies);
            expect(await ended).toEqual({ code: 0, signal: null });

            api = await start();
            for (const [n, { of, following, approval_id }] of asked.entries()) {
              const again = await person.approve(of, approval_id);
              expect(outcomeOf(first[n], again)).not.toBe('carried out without an answer');
              await following.resume(api);
              const reader = await following.end();
              expect(reader.faults).toEqual([]);
              expect(reader.list('APPROVED')).toHaveLength(1);
              expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
              const { is_error, tool_output } = reader.find('TOOL_RESULT')!;
              const count = await countOf(path, `note ${n}`);
              if (!is_error) expect(count).toBe(1);
              else expect([count <= 1, tool_output]).toEqual([true, STOPPED]);
            }
          }
        },
        ROUNDS * 30_000,
      );
    });
});

async function countOf(path: string, text: string): Promise<number> {
  const notes = await readFile(path, 'utf8').catch(() => '');
  return notes.split('\n').filter((line) => line === text).length;
}

/** What became of a decision, by its reply, and by that to the same decision after the restart. */
function outcomeOf(first: Reply | undefined, again: Reply): string {
  if (first?.status === 200) {
    expect([again.status, again.body.type]).toEqual([400, '/problems/already_processed']);
    return 'answered';
  }
  if (first) expect(first.status).toBe(503);
  return again.status === 200 ? 'refused' : 'carried out without an answer';
}
