import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { rawAnswer } from './raw-answers.mjs';

export type RawAnswers = Readonly<Record<string, string | readonly string[]>>;

/** Resolves when a server answers. */
export type Until = () => Promise<void>;

/** An MCP server over Streamable HTTP that answers with JSON, or with an event stream. */
export class RawHttpServer {
  private constructor(private readonly server: Server) {}

  static async start(
    answers: RawAnswers,
    isStream = false,
    until: Until = () => Promise.resolve(),
  ): Promise<RawHttpServer> {
    const server = createServer((request, response) => {
      void until().then(() => respond(request, response, { answers, isStream }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RawHttpServer(server);
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.server.address() as AddressInfo).port}/mcp`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { answers, isStream }: { answers: RawAnswers; isStream: boolean },
): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const answer = rawAnswer(answers, await text(request));
  if (answer === undefined) return void response.writeHead(202).end();
  const type = isStream ? 'text/event-stream' : 'application/json';
  response.writeHead(200, { 'content-type': type });
  response.end(isStream ? `id: 1234567890123456789\r\ndata: ${answer}\r\n\r\n` : answer);
}
