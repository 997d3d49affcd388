import { deepEqual, equal, match } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NestFactory } from '@nestjs/core';
import { ParleyServer } from 'parley/parley-server';

test('an application with agents inside', { timeout: 120_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-app-'));
  Object.assign(process.env, {
    DATA_DIR: join(folder, 'data'),
    WORKSPACE_DIR: join(folder, 'work'),
  });
  const { AppModule } = await import('./app.module.js');
  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  t.after(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();

  deepEqual(await (await fetch(`${url}/stock/bread`)).json(), { count: 3 });
  const started = await fetch(`${url}/agents/chats/shop/interactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_message: 'What is there?', agent: 'clerk' }),
  });
  match(await started.text(), /"type":"ANSWER".*bread/);
  equal((await fetch(`${url}/chats/shop`)).status, 404);

  const parley = app.get(ParleyServer, { strict: false });
  const { id } = await parley.start('shop', { user_message: 'What is 6*7?' });
  for await (const _ of parley.follow('shop', id));
  match(String((await parley.get('shop', id)).answer), /42/);
});
