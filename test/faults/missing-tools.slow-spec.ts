import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../support/client/api-client.js';
import { Person } from '../support/client/person.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { onOneStore, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { Following } from '../support/store/following.js';

const MCP_SERVER = join(import.meta.dirname, '../support/tools/mcp/slow-server.mjs');

for (const { name, fault, create } of onOneStore(POSTGRES))
  (fault ? describe.skip : describe)(
    `A payment whose server is absent when another process takes over, on ${name}`,
    () => {
      let data: ProcessData;
      let folder: string;
      let fake: FakeOpenAi;
      let server: ServerProcess | undefined;
      let api: ApiClient;
      const person = new Person(() => api);

      beforeAll(async () => {
        data = await create();
        fake = await FakeOpenAi.start();
        fake.otherwise(playScript);
      });
      beforeEach(async () => {
        folder = await mkdtemp(join(tmpdir(), 'parley-missing-'));
        await writeFile(join(folder, 'calls'), '');
      });
      afterEach(async () => {
        await server?.kill('SIGKILL');
        await rm(folder, { recursive: true, force: true });
      });
      afterAll(async () => {
        await fake.stop();
        await data.remove();
      });

      const start = async (pay: 'present' | 'absent'): Promise<void> => {
        const command = pay === 'present' ? process.execPath : join(folder, 'no-such-program');
        const mcpServers = { pay: { command, args: [MCP_SERVER, join(folder, 'calls')] } };
        await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }));
        server = await ServerProcess.start({
          ...{ MODEL: 'openai/fake', OPENAI_BASE_URL: fake.baseUrl, LEASE_TTL_MS: '4000' },
          ...{ MCP_CONFIG: join(folder, 'mcp.json'), PARK_AFTER_MS: '0', ...data.env },
        });
        api = await server.api();
      };
      const restart = async (pay: 'present' | 'absent', following: Following): Promise<void> => {
        await server!.kill('SIGKILL');
        await start(pay);
        await following.resume(api);
      };
      const payments = async (): Promise<number> =>
        (await readFile(join(folder, 'calls'), 'utf8')).split('\n').filter(Boolean).length;

      it('is unknown, if it was started (I4)', async () => {
        await start('present');
        const body = {
          user_message: script({ calls: [{ name: 'mcp__pay__acts', arguments: {} }] }),
          approval_mode: 'auto',
        };
        const following = new Following(api, await api.begin('started', body));
        await following.event('TOOL_OUTPUT_DELTA');
        await restart('absent', following);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.list('TOOL_RESULT')).toMatchObject([
          { is_error: true, tool_output: expect.stringMatching(/^The server stopped.* unknown/) },
        ]);
        expect(await payments()).toBe(1);
      });

      it('is sent once for each approval, as soon as its server is there (I3, I4, I5)', async () => {
        await start('present');
        const pays = { calls: [{ name: 'mcp__pay__pays', arguments: {} }] };
        const asks = { calls: [{ name: 'ask_human', arguments: { question: 'Again?' } }] };
        const of = await api.begin('asked', script(pays, asks, pays));
        const following = new Following(api, of);
        const first = await following.record('APPROVAL_REQUIRED');

        await restart('absent', following);
        await person.approve(of, first.approval_id);
        const { code, message } = await following.record('NOTICE');
        expect(await payments()).toBe(0);

        await restart('present', following);
        const paid = await following.record('TOOL_RESULT');
        const { request_id } = await following.record('INPUT_REQUIRED');
        await person.respond(of, request_id, 'Yes.');
        const second = await following.record('APPROVAL_REQUIRED', 2);
        await restart('present', following);
        await person.approve(of, second.approval_id);
        const reader = await following.end();

        expect(reader.faults).toEqual([]);
        expect([code, message]).toEqual([
          'requirement_missing',
          expect.stringMatching(/lacks the tool mcp__pay__pays.*not available/),
        ]);
        expect(paid).toMatchObject({ is_error: false, tool_output: 'done' });
        const decided = reader.list('APPROVED').map(({ tool_call_id }) => tool_call_id);
        expect(decided).toEqual([first.tool_call_id, second.tool_call_id]);
        expect(reader.list('APPROVED')[0]!.seq).toBeLessThan(paid.seq);
        expect(reader.list('TOOL_RESULT').at(-1)).toMatchObject({
          ...{ id: second.tool_call_id, is_error: false, tool_output: 'done' },
        });
        expect(await payments()).toBe(2);
      });
    },
  );
