import { deepEqual, equal } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient } from 'parley/client';
import type { StreamEvent } from 'parley/client';
import { startScriptedModel } from './scripted-model.js';
import { startServer } from './server.js';

test('a clerk looks things up, as often as its hook lets it', { timeout: 120_000 }, async (t) => {
  const model = await startScriptedModel([
    call('c1', 'bread'),
    call('c2', 'milk'),
    call('c3', 'salt'),
    { role: 'assistant', content: 'Three loaves, no milk.' },
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'custom-agent-'));
  const server = await startServer(folder, model.url);
  t.after(async () => {
    model.server.close();
    await server.stop();
    await rm(folder, { recursive: true });
  });

  const message = { user_message: 'Bread, milk, salt?', agent: 'clerk' };
  const events: StreamEvent[] = [];
  for await (const event of createClient({ url: server.url }).start('shop', message))
    events.push(event);
  const results = events.filter((event) => event.type === 'TOOL_RESULT');
  deepEqual(
    results.map(({ tool_output }) => tool_output),
    ['bread: 3', 'milk: 0', 'This call was refused: 2 lookups are enough. Answer now.'],
  );
  const [streamed, returned] = events.filter((event) => event.type === 'ANSWER');
  equal(returned?.content, 'Three loaves, no milk. (2 lookups)');
  equal(returned?.replaces, streamed?.block_id);
  const last = events.at(-1);
  equal(last?.type === 'INTERACTION_COMPLETE' && last.status, 'COMPLETED');
  equal(server.lines.filter((line) => line === 'The stock is closed.').length, 1);
});

function call(id: string, item: string): object {
  const input = { name: 'count_stock', arguments: JSON.stringify({ item }) };
  return {
    role: 'assistant',
    tool_calls: [{ index: 0, id, type: 'function', function: input }],
  };
}
