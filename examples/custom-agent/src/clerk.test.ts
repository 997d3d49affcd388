import { deepEqual, equal } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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

  const reply = await fetch(`${server.url}/chats/shop/interactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_message: 'Bread, milk, salt?', agent: 'clerk' }),
  });
  const records = eventsOf(await reply.text());
  deepEqual(
    records.filter(({ type }) => type === 'TOOL_RESULT').map(({ tool_output }) => tool_output),
    ['bread: 3', 'milk: 0', 'This call was refused: 2 lookups are enough. Answer now.'],
  );
  equal(
    records.findLast(({ type }) => type === 'ANSWER')?.content,
    'Three loaves, no milk. (2 lookups)',
  );
  const [streamed, returned] = records.filter(({ type }) => type === 'ANSWER');
  equal(returned?.replaces, streamed?.block_id);
  equal(records.at(-1)?.status, 'COMPLETED');
  equal(server.lines.filter((line) => line === 'The stock is closed.').length, 1);
});

interface Event {
  readonly type: string;
  readonly tool_output?: string;
  readonly content?: string;
  readonly block_id?: string;
  readonly replaces?: string;
  readonly status?: string;
}

/** What a stream of Server-Sent Events says. */
function eventsOf(stream: string): Event[] {
  const data = stream.split('\n').filter((line) => line.startsWith('data: '));
  return data.map((line) => JSON.parse(line.slice('data: '.length)) as Event);
}

function call(id: string, item: string): object {
  const input = { name: 'count_stock', arguments: JSON.stringify({ item }) };
  return {
    role: 'assistant',
    tool_calls: [{ index: 0, id, type: 'function', function: input }],
  };
}
