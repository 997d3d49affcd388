import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { hooksChecks } from 'parley/testing/hooks';
import { say, startServer } from './server.js';
import { StepLog } from './step-log.hooks.js';

for (const { name, run } of hooksChecks({
  make: () => new StepLog(),
  refused: [{ kind: 'say', text: 'See https://elsewhere.example.' }],
}))
  test(name, run);

test('logs the steps of an agent', { timeout: 120_000 }, async (t) => {
  const { url, log } = await startServer(t);
  await say(url, { user_message: 'Hello' });
  ok(log.some((line) => /react agent_\S+: generate is done/.test(line)));
});
