import { match } from 'node:assert/strict';
import { test } from 'node:test';
import { modelProviderChecks } from 'parley/testing/model-provider';
import { EchoProvider } from './echo.provider.js';
import { say, startServer } from './server.js';

const messages = [{ role: 'user', content: 'hello there' }] as const;

for (const { name, run } of modelProviderChecks({
  make: () => new EchoProvider(),
  request: { model: 'plain', messages },
  failing: { model: 'none', messages },
}))
  test(name, run);

test('answers what the user has said', { timeout: 120_000 }, async (t) => {
  const { url } = await startServer(t, { MODEL: 'echo/loud' });
  const events = await say(url, { user_message: 'hello there' });
  match(events, /"type":"ANSWER".*"content":"HELLO THERE"/);
  match(await say(url, { user_message: 'hi', model: 'echo/none' }), /"code":"model_not_found"/);
});
