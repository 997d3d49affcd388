import { match } from 'node:assert/strict';
import { test } from 'node:test';
import { say, startServer } from './server.js';

test('answers what the user has said', { timeout: 120_000 }, async (t) => {
  const { url } = await startServer(t, { MODEL: 'echo/loud' });
  const events = await say(url, { user_message: 'hello there' });
  match(events, /"type":"ANSWER".*"content":"HELLO THERE"/);
  match(await say(url, { user_message: 'hi', model: 'echo/none' }), /"code":"model_not_found"/);
});
