import { once } from 'node:events';
import http, { type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** An HTTP proxy for tunnels. */
export class ConnectProxy {
  /** `host:port` and the credentials of each request. */
  readonly requests: string[] = [];
  /** The status that it refuses tunnels with; undefined: it opens them; null: it says nothing. */
  refusal: string | null | undefined;
  private readonly server: Server;
  private readonly clients = new Set<Duplex>();

  private constructor() {
    this.server = http.createServer().on('connect', (request, client) => {
      const credentials = request.headers['proxy-authorization'] ?? 'without credentials';
      this.requests.push(`${request.url} ${credentials}`);
      this.clients.add(client.on('error', () => {}));
      if (this.refusal === undefined) tunnel(request.url!, client);
      else if (this.refusal !== null) client.end(`HTTP/1.1 ${this.refusal}\r\n\r\n`);
    });
  }

  static async start(): Promise<ConnectProxy> {
    const proxy = new ConnectProxy();
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://me:hush@127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    for (const client of this.clients) client.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

function tunnel(address: string, client: Duplex): void {
  const [host, port] = address.split(':');
  const server = net.connect(Number(port), host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
  server.pipe(client).pipe(server);
  client.on('close', () => server.destroy());
  server.on('error', () => client.destroy());
}
