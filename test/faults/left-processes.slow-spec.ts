import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { findProcesses } from '../support/server/find-processes.js';
import { Following } from '../support/store/following.js';
import { script, playScript } from '../support/model/scripted-answers.js';
import { SANDBOXES } from '../support/tools/sandboxes.js';
import { ServerProcess } from '../support/server/server-process.js';

describe('A command that runs when its server is killed', () => {
  for (const sandbox of SANDBOXES)
    (sandbox.fault ? it.skip : it)(
      `is gone before the next server goes on, and nobody says how it ended: ${sandbox.name}`,
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'parley-left-'));
        const fake = await FakeOpenAi.start();
        fake.otherwise(playScript);
        const env = {
          ...{ MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl },
          ...{ DATA_DIR: join(folder, 'data'), WORKSPACE_DIR: join(folder, 'work'), STORE: 'file' },
          ...{ SANDBOX: sandbox.name === 'none' ? 'none' : 'bwrap' },
        };
        const sleep = `sleep 3${Math.random().toString().slice(2, 10)}`;
        const command = `(setsid ${sleep} &); echo on; ${sleep}`;
        const first = await ServerProcess.start(env);
        const api = await first.api();
        const interaction = await api.begin('left', {
          user_message: script({ calls: [{ name: 'bash', arguments: { command } }] }),
          approval_mode: 'auto',
        });
        await new Following(api, interaction).event('TOOL_OUTPUT_DELTA');
        expect(await findProcesses(sleep)).not.toEqual([]);
        await first.kill('SIGKILL');
        const second = await ServerProcess.start(env);
        const following = new Following(await second.api(), interaction);
        await following.record('RESUMED');
        expect(await findProcesses(sleep)).toEqual([]);
        const reader = await following.end();
        expect(reader.list('TOOL_STARTED')).toHaveLength(1);
        expect(JSON.stringify(reader.records)).not.toContain('PARLEY_PROCESS');
        expect(reader.find('TOOL_RESULT')).toMatchObject({
          is_error: true,
          tool_output: expect.stringMatching(/unknown/),
        });
        await second.kill('SIGTERM');
        await fake.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    );
});
