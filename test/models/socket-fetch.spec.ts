import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import net, { type AddressInfo, type Server } from 'node:net';
import { readText } from '../../src/net/socket-fetch.js';
import { SocketFetch } from '../../src/net/socket-fetch.js';
import { SocketResponse } from '../../src/net/socket-response.js';

describe(SocketFetch.name, () => {
  const servers: Server[] = [];
  let sockets: SocketFetch;

  beforeEach(() => {
    sockets = new SocketFetch();
  });

  afterEach(async () => {
    sockets.close();
    for (const server of servers.splice(0)) {
      if (server instanceof http.Server) server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });

  async function listen(server: Server): Promise<string> {
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const serve = (listener: RequestListener): Promise<string> => listen(http.createServer(listener));

  async function text(response: Response): Promise<string> {
    return response instanceof SocketResponse
      ? await readText(response.incoming, 1_000)
      : await response.text();
  }

  it('sends method, headers and body, and answers head and raw stream', async () => {
    const url = await serve((request, response) => {
      response.writeHead(201, { 'x-seen': `${request.method} ${request.headers['x-asked']}` });
      request.pipe(response);
    });
    const response = await sockets.fetch(url, {
      method: 'POST',
      headers: { 'x-asked': 'so' },
      body: 'hé',
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-seen')).toBe('POST so');
    expect(await text(response)).toBe('hé');
  });

  it('gives the body of an error as text, bounded', async () => {
    const url = await serve((_, response) => response.writeHead(500).end('x'.repeat(1_000_000)));
    const response = await sockets.fetch(url);
    expect(response.ok).toBe(false);
    expect((await response.text()).length).toBe(65_536);
  });

  it('follows no redirect', async () => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests++;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect((await sockets.fetch(url)).status).toBe(307);
    expect(requests).toBe(1);
  });

  it('tries again on a new connection when a kept one turns out closed', async () => {
    const used: unknown[] = [];
    const url = await serve((request, response) => {
      if (used.includes(request.socket)) return void request.socket.destroy();
      used.push(request.socket);
      response.end('fine');
    });
    expect(await text(await sockets.fetch(url))).toBe('fine');
    expect(await text(await sockets.fetch(url))).toBe('fine');
    expect(used).toHaveLength(2);
  });

  it('does not try again on a connection that was new', async () => {
    let requests = 0;
    const url = await serve((request) => {
      requests++;
      request.socket.destroy();
    });
    await expect(sockets.fetch(url)).rejects.toThrow('socket hang up');
    expect(requests).toBe(1);
  });

  it('asks a proxy for a tunnel, and uses it again', async () => {
    const url = await serve((_, response) => response.end('from behind'));
    const asked: (string | undefined)[] = [];
    const proxy = http.createServer().on('connect', (request, client) => {
      asked.push(request.url);
      const [host, port] = request.url!.split(':');
      const server = net.connect(Number(port), host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
      server.pipe(client).pipe(server);
      client.on('close', () => server.destroy());
      client.on('error', () => {});
    });
    const through = new SocketFetch({ proxyUrl: await listen(proxy) });
    expect(await text(await through.fetch(url))).toBe('from behind');
    expect(await text(await through.fetch(url))).toBe('from behind');
    expect(asked).toEqual([new URL(url).host]);
    through.close();
  });
});
