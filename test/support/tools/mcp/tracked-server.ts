import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** How a call named its trace. */
export interface TrackedCall {
  readonly header: string | undefined;
  /** In the message itself. */
  readonly meta: unknown;
}

/** An MCP server of the SDK, over HTTP, with the tool `look`. */
export class TrackedServer {
  readonly calls: TrackedCall[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TrackedServer> {
    const server = createServer();
    const tracked = new TrackedServer(server);
    server.on('request', (request, response) => {
      const transport = new StreamableHTTPServerTransport({});
      response.on('close', () => void transport.close());
      void tracked
        .tools()
        .connect(transport as Parameters<McpServer['connect']>[0])
        .then(() => transport.handleRequest(request, response));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return tracked;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/mcp`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private tools(): McpServer {
    const server = new McpServer({ name: 'tracked', version: '1' });
    const annotations = { readOnlyHint: true, openWorldHint: false };
    server.registerTool('look', { description: 'Looks.', annotations }, (extra) => {
      const header = extra.requestInfo?.headers['traceparent'] as string | undefined;
      const { _meta: meta } = extra;
      this.calls.push({ header, meta: meta?.['traceparent'] });
      return { content: [{ type: 'text', text: 'seen' }] };
    });
    return server;
  }
}
