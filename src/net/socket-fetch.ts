import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { unmarkNumbers } from '../kernel/json/exact-json.js';
import { decoded } from './decoded.js';
import { traceHeaders } from './outgoing-trace.js';
import { ProxyAgent } from './proxy-agent.js';
import { SocketResponse } from './socket-response.js';

const MAX_ERROR_BYTES = 65_536;
const FREE_SOCKETS = 256;

export interface SocketFetchOptions {
  /** An HTTP proxy that supports CONNECT, such as `http://user:password@proxy:3128`. */
  readonly proxyUrl?: string;
  /**
   * False: each request has a connection of its own. True by default: then a request is sent again
   * if the server closes its connection just as it comes.
   */
  readonly keepAlive?: boolean;
}

/**
 * The part of `fetch` that a vendor's SDK needs, on Node's HTTP client: bodies of text and forms,
 * an abort signal, kept-alive connections. Exact numbers in a body keep their digits. For a 2xx it
 * returns a `SocketResponse` as soon as the headers have arrived. Redirects are not followed, so
 * that the API key is never sent to another server.
 */
export class SocketFetch {
  private readonly httpAgent: http.Agent;
  private readonly httpsAgent: http.Agent;

  constructor(options: SocketFetchOptions = {}) {
    const { keepAlive = true, proxyUrl } = options;
    const agent = { keepAlive, maxFreeSockets: FREE_SOCKETS };
    const proxy = proxyUrl ? new ProxyAgent(proxyUrl, agent) : undefined;
    this.httpAgent = proxy ?? new http.Agent(agent);
    this.httpsAgent = proxy ?? new https.Agent(agent);
  }

  readonly fetch = async (
    input: string | URL | Request,
    init: RequestInit = {},
  ): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const incoming = await this.send(url, init);
    const { statusCode = 0 } = incoming;
    const body = decoded(incoming);
    if (statusCode >= 200 && statusCode < 300) return new SocketResponse(incoming, body, null);
    const text = await readText(body, MAX_ERROR_BYTES).catch(() => null);
    return new SocketResponse(incoming, body, text);
  };

  /** Closes idle connections. */
  close(): void {
    this.httpAgent.destroy();
    this.httpsAgent.destroy();
  }

  private async send(url: URL, given: RequestInit): Promise<IncomingMessage> {
    const init = given.body instanceof FormData ? await encoded(given, given.body) : given;
    for (;;) {
      const request = this.open(url, init);
      try {
        return await answerTo(request, init.body, init.signal ?? undefined);
      } catch (error) {
        if (!closedWhileIdle(request, error)) throw error;
      }
    }
  }

  private open(url: URL, init: RequestInit): ClientRequest {
    const headers = {
      ...Object.fromEntries(new Headers(init.headers)),
      ...traceHeaders(),
      'accept-encoding': 'identity',
    };
    const method = init.method ?? 'GET';
    if (url.protocol === 'https:')
      return https.request(url, { method, headers, agent: this.httpsAgent });
    return http.request(url, { method, headers, agent: this.httpAgent });
  }
}

/** The request with its form as bytes. */
async function encoded(init: RequestInit, form: FormData): Promise<RequestInit> {
  const response = new Response(form);
  const headers = new Headers(init.headers);
  headers.set('content-type', response.headers.get('content-type')!);
  return { ...init, headers, body: new Uint8Array(await response.arrayBuffer()) };
}

/**
 * Resolves with the response headers. The signal stays in effect until the whole response was read.
 */
function answerTo(
  request: ClientRequest,
  body: unknown,
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      const error = abortError();
      request.destroy(error);
      reject(error); // a request that waits for a proxy has no socket that could fail
    };
    request.on('response', resolve);
    request.on('error', reject);
    request.on('close', () => signal?.removeEventListener('abort', abort));
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    if (body instanceof Uint8Array) request.end(body);
    else request.end(typeof body === 'string' ? unmarkNumbers(body) : undefined);
  });
}

function abortError(): Error {
  return Object.assign(new Error('The request was aborted'), { name: 'AbortError' });
}

/**
 * True if the server closed a kept-alive connection just as it was reused: the server has not seen
 * the request.
 */
function closedWhileIdle(request: ClientRequest, error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}

/**
 * The first `maxBytes` of a body as text. A longer body is truncated, and its connection closed.
 */
export async function readText(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, maxBytes);
}
