import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { loadConfig } from '../config/load-config.js';
import { SseResponse } from './sse-response.js';
import { SseStreams } from './sse-streams.js';

const RETRY = 'retry: 1000\n\n';

describe(SseStreams.name, () => {
  const streams = new SseStreams(loadConfig({ HEARTBEAT_MS: '20' }));
  let serve: (response: ServerResponse) => void;
  const server = createServer((_request, response) => serve(response));

  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => new Promise((done) => server.close(done)));
  afterEach(() => expect(streams.count).toBe(0));

  const port = (): number => (server.address() as AddressInfo).port;

  async function read(): Promise<IncomingMessage> {
    const [response] = await once(get({ port: port(), agent: false }), 'response');
    return response as IncomingMessage;
  }

  /** A client that sends a request and reads nothing until `resume`. */
  function silentReader(): Socket {
    const socket = connect(port(), '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return socket;
  }

  /** The server's side of the next request. */
  function accept(limits?: ConstructorParameters<typeof SseResponse>[1]): Promise<SseResponse> {
    return new Promise((resolve) => {
      serve = (response) => resolve(streams.open(response, limits));
    });
  }

  /** More than the kernel takes. */
  const flood = (stream: SseResponse): boolean => stream.send(`:${'x'.repeat(32_000_000)}\n\n`);

  const closed = (stream: SseResponse): Promise<void> =>
    new Promise((resolve) => stream.onClose(resolve));

  it('begins with the first frames', async () => {
    serve = (response) => {
      const stream = streams.open(response);
      expect(response.headersSent).toBe(false);
      expect(stream.send('data: 1\n\ndata: 2\n\n')).toBe(true);
      stream.end();
      expect(stream.send('data: 3\n\n')).toBe(false);
    };
    const response = await read();
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
    });
    expect(await text(response)).toBe(`${RETRY}data: 1\n\ndata: 2\n\n`);
  });

  it('can begin with nothing', async () => {
    const accepted = accept();
    const reading = read();
    const stream = await accepted;
    stream.open();
    stream.open();
    const response = await reading;
    stream.end();
    expect(await text(response)).toBe(RETRY);
  });

  it('beats while it is idle', async () => {
    const accepted = accept();
    const reading = read();
    (await accepted).open();
    let seen = '';
    for await (const chunk of await reading) {
      seen += String(chunk);
      if (seen.includes(':\n\n:\n\n')) break;
    }
    expect(seen).toBe(`${RETRY}:\n\n:\n\n`);
    await closed(await accepted);
  });

  it('answers HEAD without staying', async () => {
    serve = (response) => streams.open(response).open();
    const request = get({ port: port(), method: 'HEAD', agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.headers['content-type']).toBe('text/event-stream');
    expect(await text(response)).toBe('');
  });

  it('knows a reader that was gone before it began', async () => {
    let late: SseResponse | undefined;
    const done = new Promise<void>((resolve) => {
      serve = (response) =>
        response.once('close', () => {
          late = streams.open(response);
          late.onClose(resolve);
        });
    });
    const socket = silentReader();
    await once(server, 'request');
    socket.destroy();
    await done;
    expect(late?.isOver).toBe(true);
    expect(late?.send('x')).toBe(false);
    await late?.drained();
  });

  it('says when the reader has taken what was sent', async () => {
    const accepted = accept({ maxPending: 1e9, stallMs: 60_000 });
    const socket = silentReader();
    const stream = await accepted;
    flood(stream);
    expect(stream.isOver).toBe(false);
    const drained = stream.drained();
    socket.resume();
    await drained;
    expect(stream.send(':\n\n')).toBe(true);
    socket.destroy();
    await closed(stream);
    await stream.drained();
  });

  it('cuts off a reader that does not keep up, at a bound', async () => {
    const accepted = accept();
    const socket = silentReader();
    const stream = await accepted;
    const frame = `:${'x'.repeat(100_000)}\n\n`;
    let sent = 0;
    while (!stream.isOver && sent < 1000) {
      stream.send(frame);
      sent++;
      await new Promise(setImmediate);
    }
    expect(sent).toBeLessThan(1000);
    await closed(stream);
    socket.destroy();
  });

  it('cuts off a reader that takes nothing for too long', async () => {
    const accepted = accept({ maxPending: 1e9, stallMs: 50 });
    const socket = silentReader();
    const stream = await accepted;
    flood(stream);
    await closed(stream);
    socket.destroy();
  });

  it('does not wait for ever for a reader to take the end', async () => {
    const accepted = accept({ maxPending: 1e9, stallMs: 50 });
    const socket = silentReader();
    const stream = await accepted;
    flood(stream);
    stream.end();
    await closed(stream);
    socket.destroy();
  });

  it('leaves nothing behind, however streams end', async () => {
    let calls = 0;
    for (let i = 0; i < 1000; i++) {
      const accepted = accept();
      const socket = silentReader();
      const stream = await accepted;
      stream.onClose(() => calls++);
      stream.send('data: 1\n\n');
      if (i % 3 === 0) stream.destroy();
      else if (i % 3 === 1) socket.destroy();
      else stream.end();
      await closed(stream);
      socket.destroy();
    }
    expect(calls).toBe(1000);
    expect(streams.count).toBe(0);
  });

  it('ends all when the server stops, also those that nobody reads', async () => {
    const first = accept();
    const reading = read();
    (await first).send('data: 1\n\n');
    const second = accept({ maxPending: 1e9, stallMs: 60_000 });
    const socket = silentReader();
    flood(await second);
    await streams.beforeApplicationShutdown();
    expect(await text(await reading)).toBe(`${RETRY}data: 1\n\n`);
    socket.destroy();
  });
});
