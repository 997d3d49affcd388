import { match } from 'node:assert/strict';
import { test } from 'node:test';
import { say, startServer } from './server.js';

test('denies what nobody may do, whatever the rules say', { timeout: 120_000 }, async (t) => {
  const { url } = await startServer(t);
  const user_message = 'call bash {"command":"shutdown now"}';
  const events = await say(url, { user_message, approval_mode: 'auto' });
  match(events, /"type":"TOOL_RESULT".*Nobody shuts this machine down\./);
});
