import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import { CERTIFICATE, PRIVATE_KEY } from '../support/store/tls-certificate.js';

/** The first message of a client that wants TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

describe('A database server that can’t be reached for its TLS', () => {
  let server: Server;
  let connections: number;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-tls-'));
    await writeFile(join(folder, 'ca.pem'), CERTIFICATE);
    await writeFile(join(folder, 'text.pem'), 'no certificate');
  });
  beforeEach(() => {
    connections = 0;
  });
  afterEach(() => server.close());
  afterAll(() => rm(folder, { recursive: true }));

  /** @param answer what the server says to a client that wants TLS, and to one that does not */
  const listen = async (answer: {
    readonly encrypted: 'S' | 'N';
    readonly refusal?: string;
  }): Promise<string> => {
    server = createServer((socket) => {
      connections++;
      socket
        .on('error', () => {})
        .once('data', (first) => {
          if (!first.equals(SSL_REQUEST)) return void socket.write(refusalOf(answer.refusal));
          socket.write(answer.encrypted);
          if (answer.encrypted === 'S') encrypt(socket, answer.refusal);
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `postgres://me@127.0.0.1:${(server.address() as AddressInfo).port}/chats`;
  };
  const encrypt = (socket: Socket, refusal?: string): void => {
    const secure = { isServer: true, cert: CERTIFICATE, key: PRIVATE_KEY };
    const tls = new TLSSocket(socket, secure).on('error', () => {});
    tls.once('data', () => tls.write(refusalOf(refusal)));
  };

  /** The message of the failure, which is of the first attempt. */
  const failureOf = async (url: string): Promise<string> => {
    let waits = 0;
    const opened = openDatabase({ url, dataDir: '', migrate: true, onWait: () => waits++ });
    const message = await opened.then(
      () => 'opened',
      (error: Error) => error.message,
    );
    expect([connections <= 1, waits]).toEqual([true, 0]);
    return message;
  };

  it.each(['sslmode=require', 'sslmode=verify-full', 'sslmode=verify-ca', 'ssl=true'])(
    'names a certificate that nothing vouches for: %s',
    async (mode) => {
      const message = await failureOf(`${await listen({ encrypted: 'S' })}?${mode}`);
      expect(message).toMatch(/self-signed certificate/);
      expect(message).toMatch(/sslrootcert=.*sslmode=no-verify/);
      expect(message).not.toMatch(/that it runs|unset DATABASE_URL/);
    },
  );

  it('names a certificate of another host', async () => {
    const ca = join(folder, 'ca.pem');
    const url = `${await listen({ encrypted: 'S' })}?sslmode=verify-full&sslrootcert=${ca}`;
    expect(await failureOf(url)).toMatch(/altnames.*as its certificate does/);
  });

  it.each(['sslrootcert', 'sslcert', 'sslkey'])('names the file of %s', async (parameter) => {
    const url = await listen({ encrypted: 'S' });
    const path = join(folder, 'missing.pem');
    const message = await failureOf(`${url}?sslmode=verify-full&${parameter}=${path}`);
    expect(message).toContain(path);
    expect(message).toContain(`${parameter} in DATABASE_URL`);
    expect(connections).toBe(0);
  });

  it.each([
    'no pg_hba.conf entry for host "10.0.0.7", user "me", database "chats", no encryption',
    'no pg_hba.conf entry for host "10.0.0.7", user "me", database "chats", SSL off',
    'SSL connection is required. Please specify SSL options and retry.',
    'connection is insecure (try using `sslmode=require`)',
  ])('says how to encrypt where the server says “%s”', async (refusal) => {
    const message = await failureOf(await listen({ encrypted: 'S', refusal }));
    expect(message).toMatch(/add sslmode=verify-full to DATABASE_URL/i);
    expect(message).not.toMatch(/password/);
  });

  it('names a certificate of the client that the server wants', async () => {
    const refusal = 'connection requires a valid client certificate';
    const url = await listen({ encrypted: 'S', refusal });
    expect(await failureOf(`${url}?sslmode=no-verify`)).toMatch(/sslcert and sslkey/);
  });

  it('names pg_hba.conf where TLS is not the cause', async () => {
    const refusal =
      'no pg_hba.conf entry for host "10.0.0.7", user "me", database "chats", SSL encryption';
    const url = await listen({ encrypted: 'S', refusal });
    expect(await failureOf(`${url}?sslmode=no-verify`)).toMatch(
      /\. Let this host in by pg_hba\.conf/,
    );
  });

  it('says that the server has no TLS', async () => {
    const message = await failureOf(`${await listen({ encrypted: 'N' })}?sslmode=require`);
    expect(message).toMatch(/does not support SSL.*sslmode=disable/);
    expect(message).not.toMatch(/that it runs/);
  });
});

function refusalOf(text = ''): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C28000\0M${text}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
