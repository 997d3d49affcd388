import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { CallWatch } from './call-watch.js';
import { MessageExchange } from './message-exchange.js';
import { ReplyLimit } from '../reading/reply-limit.js';
import type { HttpSettings } from '../server-settings.js';

const TOOLS_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;

/** The SDK's transport with bounded messages, streams and replies; it resumes streams forever. */
export class HttpTransport extends StreamableHTTPClientTransport {
  private readonly replies = new ReplyLimit();

  constructor({ url, headers, proxyUrl }: Pick<HttpSettings, 'url' | 'headers' | 'proxyUrl'>) {
    const exchange = new MessageExchange(proxyUrl);
    super(url, {
      requestInit: { headers },
      fetch: (address, init) =>
        init?.method === 'GET' ? exchange.listen(address, init) : exchange.send(address, init),
    });
    exchange.onMissed = () => this.onmessage?.(TOOLS_CHANGED);
    exchange.onForgotten = () => {
      this.onerror?.(new StreamableHTTPError(404, 'it has forgotten the session'));
      void this.close();
    };
  }

  override async send(
    message: JSONRPCMessage,
    options?: Parameters<StreamableHTTPClientTransport['send']>[1],
  ): Promise<void> {
    const send = () => super.send(message, options);
    if ('method' in message && 'id' in message) return send();
    // The answer to it is not the one to the request that is being made.
    await CallWatch.outside(() => this.replies.send(message, send));
  }
}
