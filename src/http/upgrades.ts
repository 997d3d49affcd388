import { ServerResponse } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Bytes that a client may send after its request before the connection is upgraded. */
const heads = new WeakMap<IncomingMessage, Buffer>();
/** The last answer of a connection, until it is sent. */
const answering = new WeakMap<Duplex, ServerResponse>();

/**
 * Answers requests to become a WebSocket as any other GET: by the same middleware, guards, routes
 * and filters. The route that takes one calls `takeUpgrade`; other answers close the connection.
 * Offers of other protocols, such as h2c, are declined: the request is answered over HTTP/1.1.
 */
export function serveUpgrades(server: Server): void {
  server.prependListener('request', ({ socket }, response) => {
    answering.set(socket, response);
    response.once('close', () => {
      if (answering.get(socket) === response) answering.delete(socket);
    });
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const before = answering.get(socket);
    if (before) return closeAfter(before, socket);
    if (!isWebSocketRequest(request)) return decline(server, request, { socket, head });
    heads.set(request, head);
    socket.on('error', () => {}); // 'close' follows
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    server.emit('request', request, response);
  });
}

/** A client that does not wait for its answers gets those before its offer, and no more. */
function closeAfter(response: ServerResponse, socket: Socket): void {
  socket.on('error', () => {}); // 'close' follows
  response.once('close', () => socket.destroySoon());
}

/** A GET with `Upgrade: websocket`. */
export function isWebSocketRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * The connection and its first bytes, to upgrade it; undefined unless the client asked for a
 * WebSocket. The response is not to be used then: it emits `close` with the connection.
 */
export function takeUpgrade(
  request: IncomingMessage,
): { readonly socket: Socket; readonly head: Buffer } | undefined {
  const head = heads.get(request);
  return head && { socket: request.socket, head };
}

/** Reads the request again, without its offer. */
function decline(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  { socket, head }: { readonly socket: Socket; readonly head: Buffer },
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (!/^(?:connection|upgrade|http2-settings)$/i.test(name))
      lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  const text = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.unshift(Buffer.concat([text, head]));
  server.emit('connection', socket);
}
