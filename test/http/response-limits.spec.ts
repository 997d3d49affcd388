import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Controller, Get, Module, Post } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ResponseLimits, STALL_MS } from '../../src/streams/response-limits.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTinyApp, USER_HEADER } from '../support/server/tiny-app.js';

/** More than the kernel takes. */
const LONG = 16_000_000;
let release: () => void;

@Controller()
class AnswersController {
  @Get('long')
  long(): { text: string } {
    return { text: 'x'.repeat(LONG) };
  }

  @Post('late')
  changed(): Promise<{ text: string }> {
    return this.late();
  }

  @Get('late')
  async late(): Promise<{ text: string }> {
    await new Promise<void>((resolve) => (release = resolve));
    return this.long();
  }

  @Get('short')
  short(): string {
    return 'short';
  }
}

@Module({ controllers: [AnswersController] })
class AnswersModule {}

describe(ResponseLimits.name, () => {
  const clock = new FakeClock();
  let app: NestExpressApplication;
  let limits: ResponseLimits;
  const clients: Socket[] = [];

  beforeEach(async () => {
    const env = { MAX_REQUESTS: '2', MAX_UNREAD_BYTES: '4000000' };
    ({ app } = await startTinyApp(env, AnswersModule, clock));
    limits = app.get(ResponseLimits);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await app.close();
  });

  /** A client that reads nothing until `resume`, and the server's side of its request. */
  async function ask(
    path: string,
    { method = 'GET', user = 'ann' } = {},
  ): Promise<[Socket, ServerResponse]> {
    const port = Number(new URL(await app.getUrl()).port);
    const client = connect(port, '127.0.0.1').pause();
    clients.push(client);
    client.on('error', () => {});
    return [client, await send(client, path, { method, user })];
  }

  async function send(
    client: Socket,
    path: string,
    { method = 'GET', user = 'ann' } = {},
  ): Promise<ServerResponse> {
    const requested = once(app.getHttpServer(), 'request') as Promise<[unknown, ServerResponse]>;
    client.write(
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${USER_HEADER}: ${user}\r\n\r\n`,
    );
    return (await requested)[1];
  }

  /** Resolves when the answer is written, as far as the client takes it. */
  async function written(response: ServerResponse): Promise<void> {
    while (!response.writableEnded) await new Promise(setImmediate);
  }

  /** Passes the time that a client may take nothing. */
  function stall(): void {
    limits.check();
    clock.pass(STALL_MS);
    limits.check();
  }

  async function get(path: string, user = 'ann'): Promise<Response> {
    return fetch(`${await app.getUrl()}${path}`, { headers: { [USER_HEADER]: user } });
  }

  it('disconnects a client that takes nothing of an answer', async () => {
    const [, response] = await ask('/long');
    await written(response);
    const closed = once(response, 'close');
    stall();
    await closed;
  });

  it('disconnects it although it goes on to send', async () => {
    const [client, response] = await ask('/long');
    await written(response);
    client.write('GET /short HTTP/1.1\r\nX-Slow: ');
    while (!response.closed) {
      client.write('x');
      await new Promise(setImmediate);
      limits.check();
      clock.pass(STALL_MS);
    }
  });

  it('keeps a client that reads slowly', async () => {
    const [client, response] = await ask('/long');
    await written(response);
    let length = 0;
    client.on('data', (chunk) => (length += chunk.length));
    while (!response.closed) {
      const before = queued(response);
      client.resume();
      while (queued(response) === before && !response.closed) await new Promise(setImmediate);
      client.pause();
      limits.check();
      clock.pass(STALL_MS);
    }
    client.resume();
    await once(client, 'end').catch(() => {});
    expect(length).toBeGreaterThan(LONG);
  });

  it('waits for a handler for as long as it takes', async () => {
    const answer = get('/late');
    await once(app.getHttpServer(), 'request');
    stall();
    stall();
    release();
    const response = await answer;
    expect(response.status).toBe(200);
    expect(await response.text()).not.toBe('');
  });

  it('refuses a user with too many requests, until one is answered', async () => {
    const [client, first] = await ask('/late');
    const end = release;
    const [, second] = await ask('/late');
    const refused = await get('/short');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-5]$/);
    expect(await refused.json()).toMatchObject({ type: '/problems/too_many_requests' });
    end();
    client.resume();
    await once(first, 'close');
    expect((await get('/short')).status).toBe(200);
    second.destroy();
  });

  it('forgets the requests of a closed connection, also those that waited for their turn', async () => {
    const [client, first] = await ask('/late');
    const second = await send(client, '/late');
    expect((await get('/short')).status).toBe(429);
    const closed = [once(first, 'close'), once(second, 'close')];
    client.destroy();
    await Promise.all(closed);
    expect((await get('/short')).status).toBe(200);
  });

  it('sends no long answer while too much waits for clients', async () => {
    const [client, response] = await ask('/long');
    await written(response);
    const refused = await get('/long');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-5]$/);
    expect(await refused.json()).toMatchObject({ type: '/problems/too_much_unread' });
    client.resume();
    await once(response, 'close');
    expect(await (await get('/long')).json()).toEqual({ text: 'x'.repeat(LONG) });
  });

  it('bounds what waits also when the requests arrive together', async () => {
    const responses: ServerResponse[] = [];
    const releases: (() => void)[] = [];
    for (let i = 0; i < 2; i++) {
      responses.push((await ask('/late'))[1]);
      releases.push(release);
    }
    for (const each of releases) each();
    await Promise.all(responses.map(written));
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 503]));
  });

  it('answers a user although others hold all that may wait', async () => {
    const [, anns] = await ask('/long');
    await written(anns);
    const [, bobs] = await ask('/long', { user: 'bob' });
    await written(bobs);
    expect([anns.destroyed, bobs.destroyed]).toEqual([true, false]);
    for (const path of ['/long', '/short']) {
      const response = await get(path, 'carl');
      expect(response.status).toBe(200);
      expect((await response.text()).length).toBeGreaterThan(4);
    }
  });

  it('ends answers of whoever holds most, those first that can be asked for again', async () => {
    const responses = [];
    const releases: (() => void)[] = [];
    for (const [method, user] of [
      ['POST', 'ann'],
      ['GET', 'ann'],
      ['GET', 'bob'],
    ]) {
      responses.push((await ask('/late', { method: method!, user: user! }))[1]);
      releases.push(release);
    }
    // POST, and the GET whose answer is written when nothing seems to wait yet
    releases[1]!();
    await written(responses[1]!);
    releases[0]!();
    await written(responses[0]!);
    limits.check();
    expect(responses.map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
    releases[2]!();
    await written(responses[2]!);
    limits.check();
    expect(responses.map(({ destroyed }) => destroyed).filter((gone) => !gone)).toHaveLength(1);
  });

  it('answers what was accepted before the server stops, and closes the connections', async () => {
    const [client, response] = await ask('/late');
    let answer = '';
    client.on('data', (chunk) => (answer += chunk.toString('latin1'))).resume();
    const ended = once(client, 'close');
    const closed = app.close();
    while (!response.getHeader('connection')) await new Promise(setImmediate);
    release();
    await Promise.all([closed, ended]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('\r\nConnection: close\r\n');
    expect(answer.length).toBeGreaterThan(LONG);
  });

  it('answers what has changed something, however long the answer is', async () => {
    const [, changed] = await ask('/late', { method: 'POST' });
    const end = release;
    await written((await ask('/long'))[1]);
    end();
    await written(changed);
    expect(changed.statusCode).toBe(201);
  });
});

/** Bytes of the connection that the kernel has not taken. */
function queued({ socket }: ServerResponse): number | undefined {
  const { _handle: handle } = (socket ?? {}) as { _handle?: { writeQueueSize: number } };
  return handle?.writeQueueSize;
}
