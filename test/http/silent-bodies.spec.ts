import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Controller, Get, Module, Post, Req } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { readLogBody } from '../../src/chats/session-log/read-log-body.js';
import { readUpload } from '../../src/files/upload/read-upload.js';
import { silentBodies } from '../../src/http/input/silent-bodies.js';
import { eventually } from '../support/eventually.js';
import { Gate } from '../support/gate.js';
import { MovableClock } from '../support/movable-clock.js';
import { startTinyApp } from '../support/server/tiny-app.js';

const MINUTE = 60_000;
const FORM = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';

let outcome: string;
let gate: Gate;
let importing: Request | undefined;

@Controller()
class BodiesController {
  @Post('json')
  json(): string {
    return (outcome = 'read');
  }

  @Post('files')
  files(@Req() request: Request): Promise<unknown> {
    const take = async ({ content }: { content: AsyncIterable<Uint8Array> }) => buffer(content);
    const form = { limit: 10_000_000, limitedBy: 'FILE_MAX_BYTES' as const, fields: [] };
    return noted(readUpload(request, { ...form, take }));
  }

  @Post('chats/import')
  import(@Req() request: Request): Promise<unknown> {
    importing = request;
    return noted(
      readLogBody(request, async (body) => {
        await gate.pass();
        return buffer(body);
      }),
    );
  }

  @Get('early')
  early(): string {
    return 'early';
  }
}

@Module({ controllers: [BodiesController] })
class BodiesModule {}

async function noted(work: Promise<unknown>): Promise<void> {
  await work.then(
    () => (outcome = 'read'),
    (error: { code: string }) => {
      outcome = error.code;
      throw error;
    },
  );
}

describe(silentBodies.name, () => {
  const clock = new MovableClock();
  let app: NestExpressApplication;
  let client: Socket;
  /** The other end of the client. */
  let peer: Socket | undefined;
  let answer: string;

  beforeAll(async () => {
    ({ app } = await startTinyApp({}, BodiesModule, clock));
    app.getHttpServer().on('connection', (socket: Socket) => (peer = socket));
  });
  beforeEach(async () => {
    outcome = answer = '';
    gate = new Gate();
    peer = undefined;
    client = connect(Number(new URL(await app.getUrl()).port), '127.0.0.1');
    client.on('data', (chunk) => (answer += chunk.toString())).on('error', () => {});
  });
  afterEach(() => {
    gate.open();
    client.destroy();
  });
  afterAll(() => app.close());

  const begin = (start: string, type: string, length: number): void => {
    client.write(`${start} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n`);
    client.write(`Content-Length: ${length}\r\n\r\n`);
  };
  /** Until the server has all that was written. */
  const arrived = async (bytes: number): Promise<void> => {
    await eventually(() => (peer?.bytesRead ?? 0) >= bytes);
  };
  /** Each look at the body is a minute after the last one. */
  const passUntil = (isSo: () => boolean): Promise<void> =>
    eventually(() => {
      clock.pass(MINUTE);
      return isSo();
    });

  const KINDS = [
    ['JSON', 'POST /json', 'application/json', '{"a":1', ''],
    ['a file', 'POST /files', 'multipart/form-data; boundary=x', `${FORM}abc`, 'body_cut_off'],
    ['a session log', 'POST /chats/import', 'application/x-ndjson', '{}\n', 'body_cut_off'],
  ] as const;

  it.each(KINDS)('refuses %s that falls silent', async (_, start, type, body, code) => {
    gate.open();
    begin(start, type, 1_000);
    client.write(body);
    await passUntil(() => answer.includes('request_timeout'));
    await eventually(() => client.closed);
    await eventually(() => outcome === code); // what reads the body is not left waiting
    expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*\r\nConnection: close\r\n/);
    expect(answer).toContain('\r\nContent-Type: application/problem+json; charset=utf-8\r\n');
  });

  it.each(KINDS)('takes %s that flows, however long', async (_, start, type, body) => {
    gate.open();
    const rest = body.startsWith('--') ? '\r\n--x--\r\n' : body === '{}\n' ? '\n' : '}';
    begin(start, type, body.length + 30 + rest.length);
    client.write(body);
    await arrived(client.bytesWritten);
    for (let minute = 0; minute < 30; minute++) {
      client.write(' ');
      await arrived(client.bytesWritten);
      clock.pass(MINUTE);
    }
    client.write(rest);
    await eventually(() => answer.includes('\r\n\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(outcome).toBe('read');
  });

  it('waits for a server that reads slowly', async () => {
    const size = 1_000_000;
    begin('POST /chats/import', 'application/x-ndjson', size);
    client.write(' '.repeat(size));
    await gate.reached;
    const { readableHighWaterMark: full } = importing!;
    await eventually(() => importing!.readableLength >= full);
    for (let minute = 0; minute < 30; minute++) clock.pass(MINUTE);
    gate.open();
    await eventually(() => answer.includes('\r\n\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('closes the connection of a request that was answered before its body', async () => {
    begin('GET /early', 'text/plain', 1_000);
    await eventually(() => answer.includes('early'));
    await passUntil(() => client.closed);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).not.toContain('408');
  });

  it('leaves requests alone that have arrived', async () => {
    begin('POST /json', 'application/json', 2);
    client.write('{}');
    await eventually(() => answer.includes('read'));
    for (let minute = 0; minute < 5; minute++) clock.pass(MINUTE);
    begin('POST /json', 'application/json', 2);
    client.write('{}');
    await eventually(() => answer.split('read').length === 3);
    expect(answer).not.toContain('408');
  });
});
