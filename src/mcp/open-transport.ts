import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { boundedFetch, MAX_MESSAGE_BYTES } from './bounded-fetch.js';
import type { ServerSettings } from './server-settings.js';

/** Characters of what a server says on its standard error that are logged at once. */
const MAX_SAID = 2_000;

/** The way to a server, not open yet. @param onSaid is told what a program says on its standard error */
export function makeTransport(settings: ServerSettings, onSaid: (text: string) => void): Transport {
  if (settings.kind === 'http') {
    const { url, headers } = settings;
    const options = { requestInit: { headers }, fetch: boundedFetch };
    return new StreamableHTTPClientTransport(url, options);
  }
  const { command, args, env, cwd } = settings;
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...env },
    ...(cwd !== undefined && { cwd }),
    stderr: 'pipe',
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  transport.stderr?.on('data', (data: Buffer) => onSaid(data.toString().slice(0, MAX_SAID)));
  return transport;
}
