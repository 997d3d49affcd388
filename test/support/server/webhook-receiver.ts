import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly delivery: string;
  readonly signature: string;
  readonly headers: IncomingHttpHeaders;
  /** As it was sent. */
  readonly text: string;
  readonly body: ReceivedBody;
  readonly answered: Behaviour;
}

export interface ReceivedBody {
  readonly id: string;
  readonly type: string;
  readonly chat_id: string;
  readonly interaction_id: string;
  readonly [field: string]: unknown;
}

/** A status, or no answer at all. */
export type Behaviour = number | 'hang';

/** A server that takes webhooks, as well or badly as it is told. */
export class WebhookReceiver {
  /** All that has arrived, whatever it was answered. */
  readonly received: Received[] = [];
  /** That were asked for. */
  readonly paths = new Set<string | undefined>();
  behaviour: Behaviour = 200;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      this.paths.add(request.url);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { headers } = request;
        const [delivery, signature] = ['x-parley-delivery', 'x-parley-signature'].map((name) =>
          String(headers[name]),
        ) as [string, string];
        this.received.push({
          delivery,
          signature,
          headers,
          text,
          body: JSON.parse(text),
          answered: this.behaviour,
        });
        this.answer(response);
      });
    });
  }

  /** @param port 0: a free one */
  static async start(port = 0): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.server.listen(port, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Of a chat, in the order of their arrival. */
  of(chatId: string): readonly Received[] {
    return this.received.filter(({ body }) => body.chat_id === chatId);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answer(response: ServerResponse): void {
    if (this.behaviour === 'hang') return;
    response.writeHead(this.behaviour, { location: `${this.url}/elsewhere` });
    response.end('Noted.');
  }
}
