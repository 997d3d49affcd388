import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'parley/client';

const MIB = 1024 * 1024;

describe('The client, at the address of something else', () => {
  let server: Server;
  let sent: number;

  const start = async (answer: RequestListener) => {
    sent = 0;
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return createClient({ url: `http://127.0.0.1:${port}` });
  };
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  /** Sends a piece again and again, for as long as it is read. */
  const endless =
    (type: string, begin: string, piece: string): RequestListener =>
    (_, response) => {
      response.writeHead(200, { 'content-type': type });
      response.write(begin);
      const more = (): void => {
        let takes = !response.destroyed;
        while (takes && sent < 400 * MIB) {
          sent += piece.length;
          takes = response.write(piece);
        }
      };
      response.on('drain', more);
      more();
    };

  it.each([
    ['text/html', '<html></html>'],
    ['application/json', '<html></html>'],
    ['application/json', ''],
    ['', ''],
  ])('says so of %j with %j', async (type, body) => {
    const client = await start((_, response) => {
      response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(body);
    });
    const code = 'not_parley';
    await expect(client.chats.list()).rejects.toMatchObject({ code, isTemporary: false });
  });

  it.each(['no JSON', '1', 'null'])('says so of an event that is %j', async (data) => {
    const client = await start((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${data}\n\n`);
    });
    const read = async () => {
      for await (const _ of client.chat('a').events()) return 'an event';
      return 'the end';
    };
    await expect(read()).rejects.toMatchObject({ code: 'not_parley' });
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect (%i)', async (status) => {
    const requests: string[] = [];
    const client = await start(({ method, url }, response) => {
      requests.push(`${method} ${url}`);
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    const refusal = {
      ...{ status, code: 'redirected', isTemporary: false },
      detail: expect.stringContaining('redirects to /elsewhere'),
    };
    const read = async () => {
      const events = client.start('a', { user_message: 'secret' }, { give_up_ms: 0 });
      for await (const _ of events) return 'an event';
      return 'the end';
    };
    await expect(read()).rejects.toMatchObject(refusal);
    await expect(client.chats.list()).rejects.toMatchObject(refusal);
    expect(requests).toEqual(['POST /chats/a/interactions', 'GET /chats']);
  });

  it.each([
    ['an answer', 'application/json', '{"a":"', 'a'],
    ['a line of an event', 'text/event-stream', 'data: ', 'a'],
    ['an event of many lines', 'text/event-stream', '', 'data: a\n'],
  ])('stops reading %s that has no end', async (_, type, begin, text) => {
    const client = await start(endless(type, begin, text.repeat(MIB / text.length)));
    const read = async () => {
      if (type === 'application/json') return client.chats.list();
      for await (const event of client.chat('a').events()) return event;
      return 'the end';
    };
    await expect(read()).rejects.toMatchObject({ code: 'too_large', isTemporary: false });
    expect(sent).toBeLessThan(200 * MIB);
  });
});

describe('The client, with a key that no header can hold', () => {
  const client = createClient({ url: 'http://127.0.0.1:9', key: 'parley_…' });

  it('says so, and asks nothing', async () => {
    await expect(client.chats.list()).rejects.toThrow(/key has a character/);
  });

  it('does not try its streams again', async () => {
    const read = async () => {
      for await (const _ of client.chat('a').events()) return 'an event';
      return 'the end';
    };
    await expect(read()).rejects.toThrow(/key has a character/);
  });
});

describe('The client, in a page', () => {
  it('follows no redirect, of which it is not told where to', async () => {
    const asked: (string | undefined)[] = [];
    const opaque = Object.defineProperties(new Response(null), {
      type: { value: 'opaqueredirect' },
      status: { value: 0 },
    });
    const client = createClient({
      url: 'http://127.0.0.1:9',
      fetch: async (_, init) => {
        asked.push(init?.redirect);
        return opaque;
      },
    });
    await expect(client.chats.list()).rejects.toMatchObject({
      ...{ code: 'redirected', isTemporary: false },
      detail: expect.stringContaining('redirects to another address'),
    });
    expect(asked).toEqual(['manual']);
  });
});
