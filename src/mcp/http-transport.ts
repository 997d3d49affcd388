import { setTimeout as delay } from 'node:timers/promises';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { boundedFetch } from './bounded-fetch.js';
import { ReplyLimit } from './reply-limit.js';
import type { HttpSettings } from './server-settings.js';

/** Minimum interval in milliseconds between two streams that are opened. */
const STREAM_PAUSE_MS = 250;
/** Streams that are open, or wait to be opened. */
const MAX_STREAMS = 50;

/** As the SDK's, with bounded messages, streams and replies. */
export class HttpTransport extends StreamableHTTPClientTransport {
  private readonly replies = new ReplyLimit();

  constructor({ url, headers }: Pick<HttpSettings, 'url' | 'headers'>) {
    const streams = new Streams();
    super(url, {
      requestInit: { headers },
      fetch: (address, init) =>
        init?.method === 'GET' ? streams.open(address, init) : boundedFetch(address, init),
    });
  }

  override async send(
    message: JSONRPCMessage,
    options?: Parameters<StreamableHTTPClientTransport['send']>[1],
  ): Promise<void> {
    await this.replies.send(message, () => super.send(message, options));
  }
}

/**
 * The streams of one connection. A server ends them when it likes and says how soon they are opened
 * again, without limits: each call may leave one that is.
 */
class Streams {
  private count = 0;
  private next = 0;

  /** @throws Error if there are too many */
  async open(url: string | URL, init: RequestInit): Promise<Response> {
    if (this.count >= MAX_STREAMS) throw new Error(`it has ${MAX_STREAMS} open streams`);
    this.count++;
    let isOpen = true;
    const end = (): void => {
      if (isOpen) this.count--;
      isOpen = false;
    };
    try {
      await this.turn(init.signal);
      const response = await boundedFetch(url, init, end);
      if (!response.ok) end(); // its body may not be read
      return response;
    } catch (error) {
      end();
      throw error;
    }
  }

  private async turn(signal: AbortSignal | null | undefined): Promise<void> {
    const now = performance.now();
    const at = Math.max(this.next, now);
    this.next = at + STREAM_PAUSE_MS;
    if (at > now) await delay(at - now, undefined, { ref: false, ...(signal && { signal }) });
  }
}
