import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';

/** A message of Postgres's protocol. */
function message(type: string, body: string | Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(Buffer.byteLength(body) + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

const refusal = (code: string, text: string): readonly Buffer[] => [
  message('E', `SFATAL\0VFATAL\0C${code}\0M${text}\0\0`),
];

const authentication = (kind: number, text: string): Buffer =>
  message('R', Buffer.concat([Buffer.from([0, 0, 0, kind]), Buffer.from(text)]));

const ASKS_FOR_PASSWORD: readonly Buffer[] = [
  authentication(10, 'SCRAM-SHA-256\0\0'),
  authentication(11, 'r=abc,s=c2FsdA==,i=4096'),
];

describe('A database that refuses connections at start', () => {
  let server: Server;
  let connections: number;

  /** Each connection plays one of the lists, the last one again and again. */
  const listen = async (...plays: readonly (readonly Buffer[])[]): Promise<string> => {
    connections = 0;
    server = createServer((socket) => {
      const answers = [...plays[Math.min(connections++, plays.length - 1)]!];
      socket.on('error', () => {}).on('data', () => socket.write(answers.shift() ?? ''));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `postgres://me@127.0.0.1:${(server.address() as AddressInfo).port}/chats`;
  };
  const open = (url: string, onWait?: () => void) =>
    openDatabase({ url, dataDir: '', migrate: true, ...(onWait && { onWait }) });

  afterEach(() => server.close());

  it.each([
    [
      'a wrong password',
      refusal('28P01', 'password authentication failed for user "me"'),
      /failed for user "me"\. Check the user and the password in DATABASE_URL,/,
    ],
    [
      'a user that may not connect',
      refusal('28000', 'role "me" is not permitted to log in'),
      /to log in\. Check the user and the password in DATABASE_URL,/,
    ],
    [
      'no password',
      ASKS_FOR_PASSWORD,
      /it asks for a password\. Check the user and the password in DATABASE_URL,/,
    ],
    ['no such database', refusal('3D000', 'database "chats" does not exist'), /Create it,/],
  ])('is asked once and named, with the remedy: %s', async (_, answers, told) => {
    const url = await listen(answers);
    let waits = 0;
    await expect(open(url, () => waits++)).rejects.toThrow(told);
    expect([connections, waits]).toEqual([1, 0]);
  });

  it('is waited for while it starts up', async () => {
    const starting = refusal('57P03', 'the database system is starting up');
    const url = await listen(starting, starting, refusal('3D000', 'no such database'));
    let waits = 0;
    await expect(open(url, () => waits++)).rejects.toThrow(/Create it,/);
    expect([connections, waits]).toEqual([3, 1]);
  });
});
