import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { CallWatch } from '../../src/mcp/http/call-watch.js';
import { MessageExchange } from '../../src/mcp/http/message-exchange.js';

const STREAM = { 'content-type': 'text/event-stream' };
const RESULT = { jsonrpc: '2.0', id: 1, result: {} };
const CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

type Answer = (response: ServerResponse) => unknown;

const events =
  (text: string): Answer =>
  (response) =>
    response.writeHead(200, STREAM).end(text);
const message = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
const status =
  (code: number): Answer =>
  (response) =>
    response.writeHead(code).end();
const reset: Answer = (response) => response.destroy();
/** Breaks off in the middle of a message. */
const cut =
  (text: string): Answer =>
  (response) =>
    response.writeHead(200, STREAM).write(`${text}data: {"jsonrpc"`, () => response.destroy());

describe(MessageExchange.name, () => {
  let server: Server;
  let url: URL;
  let answers: Answer[];
  let requests: IncomingMessage[];
  let waits: number[];
  let exchange: MessageExchange;
  let closing: AbortController;
  beforeEach(async () => {
    answers = [];
    requests = [];
    waits = [];
    closing = new AbortController();
    exchange = new MessageExchange(undefined, async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
    });
    server = createServer((request, response) => {
      request.resume();
      requests.push(request);
      answers.shift()?.(response); // no answer: it waits
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  });
  afterEach(() => {
    closing.abort();
    server.closeAllConnections();
    server.close();
  });

  /** The data of the first message of the response. */
  const first = async (response: Response): Promise<unknown> => {
    const { value } = await response.body!.pipeThrough(new TextDecoderStream()).getReader().read();
    return JSON.parse(value!.replace(/^data: /, ''));
  };
  const call = (read: (response: Response) => Promise<unknown> = first): Promise<unknown> =>
    new CallWatch().watch(closing.signal, async () =>
      read(await exchange.send(url, { method: 'POST', body: '{}' })),
    );
  const listen = (): Promise<Response> =>
    exchange.listen(url, { method: 'GET', signal: closing.signal });

  it('has no time limits of a library', async () => {
    const fetches = jest.spyOn(globalThis, 'fetch'); // ends after five minutes of silence
    answers.push(events(message(RESULT)), events(message(CHANGED)));
    expect(await call()).toEqual(RESULT);
    expect(await first(await listen())).toEqual(CHANGED);
    expect(fetches).not.toHaveBeenCalled();
    fetches.mockRestore();
  });

  describe('a response that is to be continued', () => {
    it('goes on where it ended, when the server wants it', async () => {
      answers.push(events('id: e1\nretry: 15000\ndata:\n\n'), events(message(RESULT)));
      expect(await call()).toEqual(RESULT);
      expect(waits).toEqual([15_000]);
      expect(requests[1]).toMatchObject({ method: 'GET', headers: { 'last-event-id': 'e1' } });
      expect(requests[1]!.headers['content-type']).toBeUndefined();
    });

    it.each([
      ['breaks off', cut('id: e1\ndata:\n\n'), [1_000]],
      ['has ended several times', events('id: e1\nretry: 5\ndata:\n\n'), [5, 5, 5, 5]],
    ])('goes on after it %s', async (_, answer, expected) => {
      answers.push(...expected.map(() => answer), events(message(RESULT)));
      expect(await call()).toEqual(RESULT);
      expect(waits).toEqual(expected);
    });

    it('waits longer after each attempt that failed', async () => {
      answers.push(events('id: e1\nretry: 3000\ndata:\n\n'));
      answers.push(status(503), reset, status(429), events(message(RESULT)));
      expect(await call()).toEqual(RESULT);
      expect(waits).toEqual([3_000, 3_000, 4_000, 8_000]);
    });

    it.each([
      ['has no such stream', status(404)],
      ['answers otherwise', (response: ServerResponse) => response.end('hello')],
    ])('ends when its server %s', async (_, answer) => {
      answers.push(events('id: e1\ndata:\n\n'), answer);
      expect(await call((response) => response.text())).toBe('');
    });

    it('is not waited for when the result is there', async () => {
      exchange = new MessageExchange(undefined, (_, signal) =>
        once(signal, 'abort').then(() => Promise.reject(signal.reason)),
      );
      answers.push(events(`id: e1\n${message(RESULT)}`));
      const read = await new CallWatch().watch(closing.signal, async () => {
        const response = await exchange.send(url, { method: 'POST', body: '{}' });
        const reader = response.body!.getReader();
        await reader.read();
        return reader;
      });
      expect(await read.read()).toMatchObject({ done: true });
      expect(requests).toHaveLength(1);
    });

    it('is not asked for when the request is over', async () => {
      answers.push(events(`id: e1\n${message(RESULT)}`));
      const response = await new CallWatch().watch(closing.signal, () =>
        exchange.send(url, { method: 'POST', body: '{}' }),
      );
      expect(await response.text()).toBe('');
      expect(requests).toHaveLength(1);
    });
  });

  it.each([
    ['breaks off', cut(''), /aborted/],
    ['is too large', events(`id: e1\ndata: ${'x'.repeat(7_000_000)}\n\n`), /bytes at once/],
  ])('fails a request whose response %s', async (_, answer, expected) => {
    answers.push(answer);
    const watch = new CallWatch();
    const read = watch.watch(closing.signal, async () =>
      (await exchange.send(url, { method: 'POST', body: '{}' })).text(),
    );
    await expect(read).rejects.toThrow(expected);
    expect(watch.failure).toMatchObject({ message: expect.stringMatching(expected) });
  });

  describe('the stream of notifications', () => {
    it('goes on for ever', async () => {
      const missed = jest.fn();
      exchange.onMissed = missed;
      answers.push(status(503), events(': hello\n\n'), reset, status(502), cut(''), status(500));
      answers.push(events(message(CHANGED)));
      expect(await first(await listen())).toEqual(CHANGED);
      expect(waits).toEqual([0, 2_000, 1_000, 2_000, 4_000, 1_000, 2_000]);
      expect(missed).toHaveBeenCalledTimes(2);
    });

    it.each([[405], [404], [400], [501]])('is none after a first %i', async (code) => {
      answers.push(status(code));
      expect(await listen()).toMatchObject({ status: code });
    });

    it('is none if it is something else', async () => {
      answers.push((response) => response.end('<html>'));
      expect(await listen()).toMatchObject({ status: 405 });
    });

    it('tells that the session is gone', async () => {
      const forgotten = jest.fn();
      exchange.onForgotten = forgotten;
      answers.push(events(''), status(404));
      expect(await (await listen()).text()).toBe('');
      expect(forgotten).toHaveBeenCalledTimes(1);
    });

    it('ends with its connection', async () => {
      answers.push((response) => response.writeHead(200, STREAM).flushHeaders());
      const text = (await listen()).text();
      closing.abort();
      expect(await text).toBe('');
    });
  });
});
