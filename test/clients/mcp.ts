import * as mcp2 from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

export const CLIENTS = ['sdk 1.32', 'client 2.4', 'client 2.4, auto'] as const;
export type ClientName = (typeof CLIENTS)[number];

/** A form as a client gets it, and what its user makes of it. */
export interface Form {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Readonly<Record<string, unknown>> };
}
export type FormAnswer = {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, string | boolean>>;
};
export type OnForm = (form: Form, signal: AbortSignal) => FormAnswer | Promise<FormAnswer>;

export interface Result {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: {
    readonly answer: string;
    readonly chat_id: string;
    readonly interaction_id: string;
  };
  readonly _meta?: { readonly parley?: Readonly<Record<string, string>> };
}

interface CallOptions {
  readonly signal?: AbortSignal;
  /** In milliseconds. */
  readonly timeout?: number;
  readonly resetTimeoutOnProgress?: boolean;
  readonly onprogress?: (progress: { progress: number; message?: string }) => void;
}

/** The clients of all packages, typed alike. */
export interface McpClient {
  readonly errors: Error[];
  readonly transport: { terminateSession(): Promise<void>; readonly sessionId?: string };
  listTools(): Promise<{ tools: { name: string; description?: string; inputSchema: object }[] }>;
  callTool(name: string, args: object, options?: CallOptions): Promise<Result>;
  close(): Promise<void>;
}

export interface McpOptions {
  readonly url: string;
  readonly key?: string;
  /** Without it the client shows no forms. */
  readonly onForm?: OnForm | undefined;
  readonly fetch?: typeof fetch;
}

const INFO = { name: 'test', version: '1' };
/** Patient enough for a server that starts again. */
const PATIENT = {
  ...{ initialReconnectionDelay: 100, maxReconnectionDelay: 1_000 },
  ...{ reconnectionDelayGrowFactor: 1.5, maxRetries: 100 },
};

export async function connect(name: ClientName, options: McpOptions): Promise<McpClient> {
  const { url, key, fetch } = options;
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const address = new URL('/mcp', url);
  const reconnectionOptions = { ...PATIENT };
  const given = { requestInit: { headers }, reconnectionOptions, ...(fetch && { fetch }) };
  const client = await (name === 'sdk 1.32'
    ? connect1(address, given, options)
    : connect2(name, address, given, options));
  const close = (): Promise<void> => {
    reconnectionOptions.maxRetries = 0; // the packages go on to reconnect after they are closed
    return client.close();
  };
  return { ...client, close };
}

type Given = object;

async function connect1(url: URL, given: Given, { onForm }: McpOptions): Promise<McpClient> {
  const capabilities = onForm ? { elicitation: {} } : {};
  const client = new Client(INFO, { capabilities });
  if (onForm)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => ({
      ...(await onForm(params as unknown as Form, signal)),
    }));
  const errors: Error[] = [];
  Object.assign(client, { onerror: (error: Error) => void errors.push(error) });
  const transport = new StreamableHTTPClientTransport(url, given);
  await client.connect(transport);
  return {
    ...{ errors, transport: transport as unknown as McpClient['transport'] },
    listTools: () => client.listTools(),
    callTool: (tool, args, options) =>
      client.callTool({ name: tool, arguments: { ...args } }, undefined, options) as never,
    close: () => client.close(),
  };
}

async function connect2(
  name: ClientName,
  url: URL,
  given: Given,
  { onForm }: McpOptions,
): Promise<McpClient> {
  const client = new mcp2.Client(INFO, {
    capabilities: onForm ? { elicitation: {} } : {},
    ...(name === 'client 2.4, auto' && { versionNegotiation: { mode: 'auto' } }),
  });
  if (onForm)
    client.setRequestHandler('elicitation/create', async (request, { mcpReq }) => ({
      ...(await onForm(request.params as unknown as Form, mcpReq.signal)),
    }));
  const errors: Error[] = [];
  Object.assign(client, { onerror: (error: Error) => void errors.push(error) });
  const transport = new mcp2.StreamableHTTPClientTransport(url, given);
  await client.connect(transport);
  return {
    ...{ errors, transport: transport as unknown as McpClient['transport'] },
    listTools: () => client.listTools(),
    callTool: (tool, args, options) =>
      client.callTool({ name: tool, arguments: { ...args } }, options) as never,
    close: () => client.close(),
  };
}
