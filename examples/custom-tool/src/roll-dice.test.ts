import { equal, match, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { createClient } from 'parley/client';
import { toolChecks } from 'parley/testing/tool';
import { RollDiceTool } from './roll-dice.tool.js';
import { startScriptedModel } from './scripted-model.js';

for (const { name, run } of toolChecks({
  make: () => new RollDiceTool(),
  input: { count: 2 },
  wrong: { count: 0 },
}))
  test(name, run);

test('rolls as many dice as were asked for', () => {
  const tool = new RollDiceTool();
  match(tool.execute({ count: 3 }), /^[1-6](, [1-6]){2}$/);
  ok(!tool.input.safeParse({ count: 0 }).success);
});

test('is called by an agent of a server', { timeout: 120_000 }, async (t) => {
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'roll_dice', arguments: '{"count":2}' },
  };
  const model = await startScriptedModel([
    { role: 'assistant', tool_calls: [{ index: 0, ...call }] },
    { role: 'assistant', content: 'There they are.' },
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'custom-tool-'));
  const server = spawn(process.execPath, [join(import.meta.dirname, 'main.js')], {
    env: {
      ...{ PORT: '0', DATA_DIR: join(folder, 'data'), WORKSPACE_DIR: join(folder, 'work') },
      ...{ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'none' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    model.server.close();
    if (server.exitCode === null) {
      const exited = new Promise((resolve) => server.once('exit', resolve));
      server.kill();
      await exited;
    }
    await rm(folder, { recursive: true });
  });

  const url = await readUrl(server.stdout);
  let result = '';
  let status: string | undefined;
  const stream = createClient({ url }).start('dice', { user_message: 'Roll two dice.' });
  for await (const event of stream) {
    if (event.type === 'TOOL_RESULT') result = event.tool_output;
    if (event.type === 'INTERACTION_COMPLETE') status = event.status;
  }
  match(result, /^[1-6], [1-6]$/);
  equal(status, 'COMPLETED');
});

/** Where the server says that it listens. */
async function readUrl(log: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: log })) {
    const url = /Ready on (http:[^;]+);/.exec(line)?.[1];
    if (url === undefined) continue;
    log.resume();
    return url;
  }
  throw new Error('The server ended before it was ready.');
}
