import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { say, startServer } from './server.js';

test('logs the steps of an agent', { timeout: 120_000 }, async (t) => {
  const { url, log } = await startServer(t);
  await say(url, { user_message: 'Hello' });
  ok(log.some((line) => /react agent_\S+: generate is done/.test(line)));
});
