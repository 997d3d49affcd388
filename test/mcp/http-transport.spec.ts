import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpTransport } from '../../src/mcp/http/http-transport.js';

const STREAM = { 'content-type': 'text/event-stream' };

describe(HttpTransport.name, () => {
  let server: Server;
  let transport: HttpTransport;
  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    transport = new HttpTransport({ url: new URL(`http://127.0.0.1:${port}/mcp`), headers: {} });
    await transport.start();
  });
  afterEach(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });

  it('opens a stream that its server ends at once four times a second at most', async () => {
    const times: number[] = [];
    const enough = new Promise<void>((resolve) => {
      server.on('request', (request, response) => {
        if (request.method === 'POST') return void response.writeHead(202).end();
        if (times.push(performance.now()) === 5) resolve();
        response.writeHead(200, STREAM).end('id: 1\nretry: 0\ndata:\n\n');
      });
    });
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await enough;
    // No machine is too slow for that.
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(900);
  });

  it.each([
    ['asks for the tools again', 200, 'notifications/tools/list_changed'],
    ['closes if its session is forgotten', 404, 'closed'],
  ])('%s after its stream of notifications has ended', async (_, status, expected) => {
    const seen = new Promise((resolve) => {
      transport.onmessage = (message) => resolve('method' in message && message.method);
      transport.onclose = () => resolve('closed');
    });
    const statuses = [200, status];
    server.on('request', (request, response) => {
      if (request.method === 'POST') return void response.writeHead(202).end();
      response.writeHead(statuses.shift() ?? 405, STREAM).end('retry: 0\n\n');
    });
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await seen).toBe(expected);
  });

  it('sends at most 100 replies at once', async () => {
    const waiting: (() => void)[] = [];
    const some = new Promise<void>((resolve) => {
      server.on('request', (request, response) => {
        request.resume();
        if (waiting.push(() => response.writeHead(202).end()) === 100) resolve();
      });
    });
    const reply = (id: number) => transport.send({ jsonrpc: '2.0', id, result: {} });
    const sent = Array.from({ length: 300 }, (_, id) => reply(id));
    await some;
    await Promise.all(sent.slice(100));
    expect(waiting).toHaveLength(100);
    for (const answer of waiting) answer();
    await Promise.all(sent);
  });
});
