import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { answerEarly } from '../../src/http/errors/answer-early.js';
import { startTinyApp } from '../support/server/tiny-app.js';

const HEAD = 'POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n';
const MIB = 1024 * 1024;

describe(answerEarly.name, () => {
  let app: NestExpressApplication;
  let client: Socket;
  let answer: string;
  beforeEach(async () => {
    ({ app } = await startTinyApp());
    client = connect(Number(new URL(await app.getUrl()).port), '127.0.0.1');
    answer = '';
    client.on('data', (chunk) => (answer += chunk.toString()));
  });
  afterEach(async () => {
    client.destroy();
    await app.close();
  });

  async function refused(): Promise<void> {
    while (!answer.includes('unsupported_media_type')) await once(client, 'data');
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
  }

  it('refuses at once, takes the rest of the body and closes the connection', async () => {
    client.write(`${HEAD}Content-Length: ${4 * MIB}\r\n\r\n`);
    client.write('x');
    await refused();
    expect(answer).toContain('\r\nConnection: close\r\n');
    const ended = once(client, 'end'); // a reset would be an error
    client.write('x'.repeat(4 * MIB - 1));
    await ended;
  });

  it('closes the connection of a client that sends without an end', async () => {
    client.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`);
    await refused();
    client.on('error', () => {}); // what it sends later is refused by a reset
    let sent = 0;
    const chunk = `${MIB.toString(16)}\r\n${'x'.repeat(MIB)}\r\n`;
    while (!client.destroyed && sent < 200) {
      sent++;
      await new Promise((resolve) => client.write(chunk, resolve));
    }
    expect(sent).toBeLessThan(200);
  });

  it.each(['', 'Content-Encoding: gzip\r\n'])(
    'refuses JSON of no said length as soon as it is too long: %j',
    async (encoding) => {
      const chunk = (bytes: Buffer): void => {
        client.write(`${bytes.length.toString(16)}\r\n`);
        client.write(Buffer.concat([bytes, Buffer.from('\r\n')]));
      };
      client.write('POST /things HTTP/1.1\r\nHost: localhost\r\n');
      client.write(`Content-Type: application/json\r\n${encoding}`);
      client.write('Transfer-Encoding: chunked\r\n\r\n');
      chunk(Buffer.alloc(MIB, ' '));
      chunk(Buffer.from(' '));
      while (!answer.includes('body_too_large')) await once(client, 'data');
      expect(answer).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close\r\n/s);
      const ended = once(client, 'end');
      client.write('0\r\n\r\n');
      await ended;
    },
  );

  it('keeps the connection of a request that has arrived', async () => {
    client.write(`${HEAD}Content-Length: 1\r\n\r\nx`);
    await refused();
    expect(answer).not.toContain('Connection: close');
    client.write('GET /things/7 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    while (!answer.includes('{"id":"7"}')) await once(client, 'data');
  });

  it('lets a client that waits for 100-continue know', async () => {
    client.write(`${HEAD}Content-Length: ${MIB}\r\nExpect: 100-continue\r\n\r\n`);
    while (!answer.includes('unsupported_media_type')) await once(client, 'data');
    expect(answer).toContain('\r\nConnection: close\r\n');
  });
});
