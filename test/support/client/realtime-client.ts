import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { ClientOptions } from 'ws';
import { doneWithin } from '../../../src/kernel/async/promises.js';
import { silence } from '../model/pcm.js';

/** It only ends what hangs. */
const LIMIT_MS = 150_000;

/** A message of the server; `pcm` of a binary one. */
export interface Heard {
  readonly type: string;
  readonly pcm?: Buffer;
  readonly cursor?: string;
  readonly event?: Readonly<Record<string, unknown>> & { readonly type: string };
  readonly [field: string]: unknown;
}

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

type Options = ClientOptions & { readonly protocols?: readonly string[] };

/** A client of the realtime WebSocket, over a real socket. */
export class RealtimeClient {
  readonly heard: Heard[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  private readonly watchers = new Set<() => void>();

  private constructor(readonly ws: WebSocket) {
    ws.on('message', (data, isBinary) => {
      const bytes = data as Buffer;
      this.heard.push(isBinary ? { type: 'audio', pcm: bytes } : JSON.parse(bytes.toString()));
      this.notify();
    });
    ws.on('error', () => {});
    ws.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.notify();
    });
  }

  /** @param url of the server, `http:` */
  static async open(url: string, chat: string, options: Options = {}): Promise<RealtimeClient> {
    const client = new RealtimeClient(connect(url, `/chats/${chat}/realtime`, options));
    await Promise.race([
      once(client.ws, 'open'),
      once(client.ws, 'unexpected-response').then(() => {
        throw new Error('The server refused the upgrade.');
      }),
    ]);
    return client;
  }

  /** The answer to an upgrade that is refused. The server has closed the connection then. */
  static async refused(url: string, path: string, options: Options = {}): Promise<Refusal> {
    const ws = connect(url, path, options);
    ws.on('error', () => {});
    const opened = once(ws, 'open').then(() => {
      ws.terminate();
      throw new Error('The server took the upgrade.');
    });
    const [, response] = await Promise.race([once(ws, 'unexpected-response'), opened]);
    opened.catch(() => {});
    let text = '';
    for await (const chunk of response) text += String(chunk);
    if (!response.socket.destroyed) await once(response.socket, 'close');
    return {
      ...{ status: response.statusCode, headers: response.headers },
      body: JSON.parse(text),
    };
  }

  get types(): readonly string[] {
    return this.heard.map(({ type, event }) => event?.type ?? type);
  }

  /** The audio since the nth message, in milliseconds. */
  audioSince(from = 0): number {
    const parts = this.heard.slice(from).map(({ pcm }) => pcm?.length ?? 0);
    return parts.reduce((sum, length) => sum + length, 0) / 48;
  }

  send(message: object): void {
    this.ws.send(JSON.stringify(message));
  }

  /** Sends speech in messages of 100 ms, faster than a microphone. */
  say(...parts: readonly Buffer[]): void {
    const all = Buffer.concat(parts);
    for (let at = 0; at < all.length; at += 4_800) this.ws.send(all.subarray(at, at + 4_800));
  }

  endUtterance(): void {
    this.say(silence(800));
  }

  /** The first message of this type, or event of it, from the nth message on. */
  async until(type: string, from = 0, matches: (heard: Heard) => boolean = () => true) {
    return this.wait(`no ${type}`, () =>
      this.heard.slice(from).find((each, n) => this.types[from + n] === type && matches(each)),
    );
  }

  async untilClosed(): Promise<{ readonly code: number; readonly reason: string }> {
    return this.wait('not closed', () => this.closed);
  }

  async close(): Promise<void> {
    this.ws.close();
    await this.untilClosed();
  }

  private async wait<T>(what: string, find: () => T | undefined): Promise<T> {
    const end = performance.now() + LIMIT_MS;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.closed) throw new Error(`${what}, closed ${this.closed.code}: ${this.types.join()}`);
      const change = new Promise<void>((resolve) => this.watchers.add(resolve));
      if (!(await doneWithin(change, end - performance.now())))
        throw new Error(`${what} in ${this.types.join()}`);
    }
  }

  private notify(): void {
    for (const watcher of this.watchers) watcher();
    this.watchers.clear();
  }
}

function connect(url: string, path: string, { protocols = [], ...options }: Options): WebSocket {
  return new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, [...protocols], options);
}
