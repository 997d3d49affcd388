import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly name: string };
}

/** Answers a call after it has acted. */
type Act = (response: ServerResponse, id: number) => void;

const inputSchema = { type: 'object', properties: {} };
const TOOLS = [
  { name: 'acts', inputSchema },
  { name: 'looks', inputSchema, annotations: { readOnlyHint: true, openWorldHint: false } },
];

export function json(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
}

/** An MCP server over HTTP that acts first, and then answers as a test says. */
export class OddHttpServer {
  /** The names of the tools that it was called for. */
  readonly calls: string[] = [];
  readonly requests: IncomingMessage[] = [];
  /** The answers to the next calls; then it answers as it should. */
  readonly answers: Act[] = [];
  /** Where it sends all requests instead of answering. */
  redirect: string | undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OddHttpServer> {
    const server = createServer();
    const odd = new OddHttpServer(server);
    server.on('request', (request, response) => void odd.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return odd;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.server.address() as AddressInfo).port}/mcp`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push(request);
    if (this.redirect !== undefined)
      return void response.writeHead(307, { location: this.redirect }).end();
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await textOf(request)) as Message;
    if (id === undefined) return void response.writeHead(202).end();
    switch (method) {
      case 'initialize':
        response.setHeader('mcp-session-id', `session-${this.requests.length}`);
        return json(response, { jsonrpc: '2.0', id, result: INITIALIZED });
      case 'tools/list':
        return json(response, { jsonrpc: '2.0', id, result: { tools: TOOLS } });
      default:
        this.calls.push(params.name);
        return (this.answers.shift() ?? done)(response, id);
    }
  }
}

const INITIALIZED = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'odd', version: '1' },
};

const done: Act = (response, id) =>
  json(response, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } });

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
