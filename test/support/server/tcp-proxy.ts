import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** A way to a server that a test can break. */
export interface TcpProxy {
  readonly port: number;
  /** Cuts every connection, and refuses new ones until `restore`. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** What is connected now stays connected, and carries nothing any more. */
  freeze(): void;
  /** The same, and what connects from now on is no better. */
  silence(): void;
  /**
   * Forwards what clients say and lets no answer through; cuts when the server has answered for the
   * first time.
   */
  swallowNextAnswer(): Promise<void>;
}

export async function openTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let swallow: (() => void) | undefined;
  let isSilent = false;
  const server = createServer((client) => {
    const upstream = connect(target);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
    if (isSilent) return void client.resume();
    client.pipe(upstream);
    upstream.on('data', (answer) => (swallow ? swallow() : client.write(answer)));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  const freeze = (): void => {
    for (const socket of sockets) socket.unpipe().removeAllListeners('data').resume();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async cut() {
      const closed = server.listening ? once(server, 'close') : undefined;
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async restore() {
      isSilent = false;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    freeze,
    silence() {
      isSilent = true;
      freeze();
    },
    swallowNextAnswer: () =>
      new Promise((resolve) => {
        swallow = () => {
          swallow = undefined;
          for (const socket of sockets) socket.destroy();
          resolve();
        };
      }),
  };
}
