import { once } from 'node:events';
import { createServer } from 'node:http';

const FLOOD_BYTES = 64 * 1024 * 1024;

/**
 * A server that notes what it gets. `/echo` answers how the request came, `/drop` hangs up after
 * all of it has arrived, `/drop/once` too if `hears` has no request yet, `/events` sends one event
 * and the next when `more()` is called, `/flood` sends more than fits into any socket.
 */
export class FakeUpstream {
  requests = [];
  sockets = new Set();
  #streams = [];

  static async start(hears = []) {
    const upstream = new FakeUpstream();
    upstream.hears = hears;
    upstream.server = createServer((request, response) => void upstream.#serve(request, response));
    await upstream.listen(0);
    upstream.port = upstream.server.address().port;
    return upstream;
  }

  async listen(port = this.port) {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop() {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** Resolves when the reader of an event stream has gone. */
  get left() {
    return this.#streams.at(-1).left;
  }

  more() {
    for (const { response } of this.#streams) response.write('data: second\n\n');
  }

  async #serve(request, response) {
    const { method, headers, httpVersion } = request;
    const [url] = request.url.split('?');
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    const isFirst = this.hears.length === 0;
    this.hears.push({ method, url });
    this.requests.push({ method, url });
    this.sockets.add(request.socket);
    if (url === '/drop' || (url === '/drop/once' && isFirst)) request.socket.destroy();
    else if (url === '/events') this.#stream(response);
    else if (url === '/flood') this.flooded = flood(response);
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ method, headers, httpVersion, bytes }));
  }

  /** Without the header that would tell a proxy not to hold it back. */
  #stream(response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: first\n\n');
    this.#streams.push({ response, left: once(response, 'close') });
  }
}

/** Resolves with whether all of it has been taken, or the reader has left. */
async function flood(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`data: ${'x'.repeat(FLOOD_BYTES)}\n\n`);
  await Promise.race([once(response, 'finish'), once(response, 'close')]);
  return !response.destroyed;
}
