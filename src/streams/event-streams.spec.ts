import { EventEmitter, once } from 'node:events';
import { get } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { jest } from '@jest/globals';
import { Controller, Module, Res, Sse } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Observable, Subject, of } from 'rxjs';
import { Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import { Authentication } from '../auth/authentication.js';
import { Clock } from '../kernel/clock.js';
import { FakeClock } from '../../test/support/fake-clock.js';
import { CredentialWatch } from './credential-watch.js';
import { EventStreams, MAX_PENDING_LENGTH } from './event-streams.js';
import type { StreamedEvent } from './event-streams.js';
import type { Backlog } from '../kernel/async/backlog.js';
import { ResponseLimits, STALL_MS } from './response-limits.js';

type Handler = (response: ServerResponse) => Promise<Observable<MessageEvent>>;

/** The server's side of a stream. */
interface Opened {
  readonly messages: Subject<MessageEvent>;
  readonly response: ServerResponse;
  readonly closed: Promise<unknown>;
}

let handle: Handler;

@Controller()
class StreamController {
  @Sse('', { maxPendingDataLength: MAX_PENDING_LENGTH })
  stream(@Res({ passthrough: true }) response: ServerResponse): Promise<Observable<MessageEvent>> {
    return handle(response);
  }
}

@Module({
  controllers: [StreamController],
  providers: [
    EventStreams,
    CredentialWatch,
    { provide: Authentication, useValue: {} },
    ResponseLimits,
    { provide: Config, useFactory: () => loadConfig({}) },
    { provide: Clock, useClass: FakeClock },
  ],
})
class StreamModule {}

describe(EventStreams.name, () => {
  let app: NestExpressApplication;
  let streams: EventStreams;
  let limits: ResponseLimits;
  let port: number;

  beforeEach(async () => {
    app = await NestFactory.create<NestExpressApplication>(StreamModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    port = Number(new URL(await app.getUrl()).port);
    streams = app.get(EventStreams);
    limits = app.get(ResponseLimits);
  });
  afterEach(async () => {
    expect(streams.count).toBe(0);
    await app.close();
  });

  async function read(method = 'GET'): Promise<IncomingMessage> {
    const [response] = await once(get({ port, method, agent: false }), 'response');
    return response as IncomingMessage;
  }

  it('bounds the streams of a user, not those of others', () => {
    const { maxStreams } = loadConfig({});
    const responses: EventEmitter[] = [];
    const socket = new EventEmitter();
    const admit = (user_id: string): void => {
      const req = { principal: { tenant_id: 'acme', user_id }, socket };
      const response = Object.assign(new EventEmitter(), { req, closed: false });
      responses.push(response);
      streams.admit(response as unknown as ServerResponse);
    };
    for (let i = 0; i < maxStreams; i++) admit('ann');
    expect(() => admit('ann')).toThrow(expect.objectContaining({ code: 'too_many_streams' }));
    admit('bob');
    for (const response of responses) response.emit('close');
  });

  /** A client that sends a request and reads nothing until `resume`. */
  function silentReader(): Socket {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return socket;
  }

  /** The server's side of the next request, once it is subscribed to. */
  function accept(): Promise<Opened> {
    return new Promise((resolve) => {
      handle = async (response) => {
        const messages = new Subject<MessageEvent>();
        const closed = once(response, 'close');
        const source = new Observable<MessageEvent>((reader) => {
          const subscription = messages.subscribe(reader);
          setImmediate(() => resolve({ messages, response, closed }));
          return subscription;
        });
        return streams.send(source, response);
      };
    });
  }

  /** Passes the time that a reader may take nothing. */
  function stall(): void {
    limits.check();
    app.get<FakeClock>(Clock).pass(STALL_MS);
    limits.check();
  }

  /** More than the kernel takes. */
  const flood = ({ messages }: Opened): void => messages.next(message('x'.repeat(32_000_000)));

  const message = (data: string, id = '1'): MessageEvent => ({ id, type: 'a', data });

  it('sends the headers, and the reconnection hint with the first message', async () => {
    handle = async (response) =>
      streams.send(of(message('one'), message('two', '1~b.2')), response);
    const response = await read();
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': expect.stringMatching('no-cache.*no-transform'),
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
    });
    expect(await text(response)).toMatch(
      /^\nevent: a\nid: 1\nretry: [1-5]\d{3}\ndata: one\n\nevent: a\nid: 1~b.2\ndata: two\n\n$/,
    );
  });

  it('sends the headers before there is a message', async () => {
    const accepted = accept();
    const response = await read();
    const { messages } = await accepted;
    messages.complete();
    expect(response.statusCode).toBe(200);
    expect(await text(response)).toBe('\n');
  });

  it('keeps text on one line, whatever is in it', async () => {
    const data = { text: 'a\nb\r\nc\u2028d\u0085\0' };
    handle = async (response) => streams.send(of(message(JSON.stringify(data))), response);
    const lines = (await text(await read())).split(/\r\n|\n|\r/);
    expect(lines).toHaveLength(7);
    expect(JSON.parse(lines[4]!.slice('data: '.length))).toEqual(data);
  });

  it('sends comments without an id while it is idle', async () => {
    const config = loadConfig({ HEARTBEAT_MS: '20' });
    const quick = new EventStreams(config, app.get(CredentialWatch), limits);
    handle = async (response) => quick.send(new Subject<MessageEvent>(), response);
    let seen = '';
    for await (const chunk of await read()) {
      seen += String(chunk);
      if (seen.includes(': \n\n: \n\n')) break;
    }
    expect(seen).toBe('\n: \n\n: \n\n');
  });

  it('sends no comments to a reader that takes nothing (I10)', async () => {
    const config = loadConfig({ HEARTBEAT_MS: '20' });
    const quick = new EventStreams(config, app.get(CredentialWatch), limits);
    const messages = new Subject<MessageEvent>();
    handle = async (response) => quick.send(messages, response);
    const socket = silentReader();
    const [, response] = (await once(app.getHttpServer(), 'request')) as [unknown, ServerResponse];
    while (!messages.observed) await new Promise(setImmediate);
    messages.next(message('x'.repeat(32_000_000)));
    handle = async (idle) => quick.send(new Subject<MessageEvent>(), idle);
    let beats = '';
    for await (const chunk of await read()) {
      beats += String(chunk);
      if (beats.includes(': \n\n: \n\n')) break;
    }
    messages.complete();
    let end = '';
    socket.on('data', (chunk) => (end = (end + String(chunk)).slice(-1_000))).resume();
    await once(response, 'close');
    while (!end.endsWith('\r\n0\r\n\r\n')) await once(socket, 'data');
    expect(end).toMatch(/x\n\n\s*0\r\n\r\n$/);
    socket.destroy();
  });

  it('writes the messages of a tick together', async () => {
    const accepted = accept();
    const response = await read();
    const opened = await accepted;
    const written = jest.spyOn(opened.response.socket!, '_writev');
    const alone = jest.spyOn(opened.response.socket!, '_write');
    for (let i = 1; i <= 20; i++) opened.messages.next(message('x', String(i)));
    opened.messages.complete();
    expect((await text(response)).match(/^data: x$/gm)).toHaveLength(20);
    expect([written.mock.calls.length, alone.mock.calls.length]).toEqual([1, 0]);
    const [parts] = written.mock.calls[0]!;
    expect(parts).toHaveLength(5); // length, line end, text, line end: one chunk, and the last one
  });

  it('answers HEAD without staying', async () => {
    handle = async (response) => streams.send(new Subject<MessageEvent>(), response);
    const response = await read('HEAD');
    expect(response.headers['content-type']).toBe('text/event-stream');
    expect(await text(response)).toBe('');
  });

  it('subscribes to nothing for a client that left before', async () => {
    let subscribed = 0;
    const source = new Observable<MessageEvent>(() => void subscribed++);
    const done = new Promise<void>((resolve) => {
      handle = async (response) => {
        await once(response, 'close');
        setImmediate(resolve);
        return streams.send(source, response);
      };
    });
    const socket = silentReader();
    await once(app.getHttpServer(), 'request');
    socket.destroy();
    await done;
    await new Promise(setImmediate);
    expect(subscribed).toBe(0);
  });

  it('sends streams that end together back at different times', async () => {
    handle = async (response) => streams.send(of(message('one')), response);
    const texts = await Promise.all(Array.from({ length: 20 }, async () => text(await read())));
    const pauses = new Set(texts.map((sent) => /^retry: (\d+)$/m.exec(sent)?.[1]));
    expect(pauses.size).toBeGreaterThan(1);
    expect(pauses).not.toContain(undefined);
  });

  it('frames events with their cursor, and with their type unless it is not wanted', async () => {
    const event = { type: 'TEXT', text: 'a' };
    const data = `data: ${JSON.stringify(event)}\n\n`;
    for (const [named, name] of [
      [true, 'event: text\n'],
      [false, ''],
    ] as const) {
      handle = async (response) =>
        streams.sendEvents({ response, named }, () => of({ cursor: '1~b.2', event }));
      const sent = (await text(await read())).replace(/retry: \d{4}/, 'retry: …');
      expect(sent).toBe(`\n${name}id: 1~b.2\nretry: …\n${data}`);
    }
  });

  it('lets events wait until the reader has taken those before, or is gone (I10)', async () => {
    const events = new Subject<StreamedEvent>();
    const followed = new Promise<{ backlog: Backlog; response: ServerResponse }>((resolve) => {
      handle = async (response) =>
        streams.sendEvents({ response, named: true }, (backlog) => {
          setImmediate(() => resolve({ backlog, response }));
          return events;
        });
    });
    const socket = silentReader();
    const { backlog, response } = await followed;
    const closed = once(response, 'close');
    const send = (length: number): void =>
      events.next({ cursor: '1', event: Object.assign({ type: 'A' }, { a: 'x'.repeat(length) }) });
    expect(backlog.isFull).toBe(false);
    send(32_000_000);
    expect(backlog.isFull).toBe(true);
    const drained = backlog.drained();
    socket.resume();
    await drained;
    expect([backlog.isFull, response.writableNeedDrain]).toEqual([false, false]);
    socket.pause();
    send(32_000_000);
    const gone = backlog.drained();
    socket.destroy();
    await gone;
    await closed;
    await backlog.drained();
  });

  it('disconnects a reader that does not keep up, at a bound', async () => {
    const accepted = accept();
    const socket = silentReader();
    const { messages, response } = await accepted;
    let sent = 0;
    while (!response.closed && sent < 1000) {
      messages.next(message('x'.repeat(100_000)));
      sent++;
      await new Promise(setImmediate);
    }
    expect(sent).toBeLessThan(1000);
    socket.destroy();
  });

  it('disconnects a reader that takes nothing for too long', async () => {
    const accepted = accept();
    const socket = silentReader();
    const opened = await accepted;
    flood(opened);
    stall();
    await opened.closed;
    socket.destroy();
  });

  it('leaves an idle stream open for longer than a reader may stall', async () => {
    const accepted = accept();
    const response = await read();
    const { messages } = await accepted;
    stall();
    messages.next(message('late'));
    messages.complete();
    expect(await text(response)).toContain('data: late');
  });

  it('does not wait for ever for a reader to take the end', async () => {
    const accepted = accept();
    const socket = silentReader();
    const opened = await accepted;
    flood(opened);
    opened.messages.complete();
    stall();
    await opened.closed;
    socket.destroy();
  });

  it('forgets a stream whose connection closes while it waits for an earlier one', async () => {
    const first = accept();
    const socket = silentReader();
    const { closed } = await first;
    const second = accept();
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const waiting = await second;
    expect(streams.count).toBe(2);
    socket.destroy();
    await Promise.all([closed, waiting.closed]);
    expect([streams.count, waiting.messages.observed]).toEqual([0, false]);
  });

  it('leaves nothing behind, however streams end', async () => {
    for (let i = 0; i < 300; i++) {
      const accepted = accept();
      const socket = silentReader();
      const { messages, response, closed } = await accepted;
      messages.next(message('1'));
      if (i % 3 === 0) response.destroy();
      else if (i % 3 === 1) socket.destroy();
      else messages.complete();
      await closed;
      expect(messages.observed).toBe(false);
      socket.destroy();
    }
    expect(streams.count).toBe(0);
  });

  it('ends all when the server stops, also those whose reader has stalled', async () => {
    const first = accept();
    const reading = read();
    (await first).messages.next(message('one'));
    const second = accept();
    const socket = silentReader();
    const stalled = await second;
    flood(stalled);
    await streams.beforeApplicationShutdown();
    expect(await text(await reading)).toContain('data: one\n\n');
    await stalled.closed;
    socket.destroy();
  });

  it('ends later streams at once', async () => {
    await streams.beforeApplicationShutdown();
    handle = async (response) => streams.send(new Subject<MessageEvent>(), response);
    expect(await text(await read())).toBe('\n');
  });
});
