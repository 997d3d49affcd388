import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ArrivingBodies, MAX_ARRIVING } from '../../src/http/input/arriving-bodies.js';
import { startTinyApp } from '../support/server/tiny-app.js';

const BODY = Buffer.from(`{"a":"${'x'.repeat(1_000_000)}"}`);
/** Of one user, who has half. */
const ENOUGH = Math.ceil(MAX_ARRIVING / 2 / BODY.length);

describe(ArrivingBodies.name, () => {
  let app: NestExpressApplication;
  let port: number;
  const clients: Socket[] = [];

  beforeEach(async () => {
    ({ app } = await startTinyApp());
    port = Number(new URL(await app.getUrl()).port);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await app.close();
  });

  /** Sends a body without its last bytes. */
  function begin(body: Buffer, encoding = ''): Socket {
    const client = connect(port, '127.0.0.1').on('error', () => {});
    clients.push(client);
    client.write(
      `POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${encoding}Content-Length: ${body.length}\r\n\r\n`,
    );
    client.write(body.subarray(0, -9));
    return client;
  }

  function statusOf(client: Socket): Promise<string> {
    return once(client, 'data').then(([data]) => String(data).slice(9, 12));
  }

  it.each([
    ['plain', BODY, ''],
    ['compressed', gzipSync(BODY), 'Content-Encoding: gzip\r\n'],
  ])('refuses %s bodies once too many bytes are on their way', async (_, body, encoding) => {
    const begun = Array.from({ length: ENOUGH + 2 }, () => begin(body, encoding));
    const first = await Promise.race(begun.map(async (client) => [client, await statusOf(client)]));
    expect(first[1]).toBe('503');
    const small = begin(Buffer.from('{}         '));
    small.write(' '.repeat(9));
    expect(await statusOf(small)).toBe('204');
    for (const client of clients.splice(0)) client.destroy();
    for (;;) {
      const client = begin(BODY);
      client.write(BODY.subarray(-9));
      if ((await statusOf(client)) === '204') break; // the server has seen the others leave
    }
  });

  it('forgets bodies that have arrived', async () => {
    for (let i = 0; i < ENOUGH + 2; i++) {
      const client = begin(BODY);
      client.write(BODY.subarray(-9));
      expect(await statusOf(client)).toBe('204');
    }
  });
});
