// An MCP server whose tools, but for `pays`, never end when they are called for the first time. The
// file that it is started with has a line for each call.
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file] = process.argv.slice(2);
const inputSchema = { type: 'object', properties: {} };
const TOOLS = [
  { name: 'acts', inputSchema },
  { name: 'pays', inputSchema },
  { name: 'looks', inputSchema, annotations: { readOnlyHint: true } },
  { name: 'settles', inputSchema, annotations: { idempotentHint: true } },
];

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function call({ name, _meta }) {
  appendFileSync(file, `${JSON.stringify({ name, pid: process.pid })}\n`);
  const calls = readFileSync(file, 'utf8').split('\n').filter(Boolean).map(JSON.parse);
  if (name === 'pays' || calls.filter((made) => made.name === name).length > 1)
    return { content: [{ type: 'text', text: 'done' }] };
  const params = { progressToken: _meta.progressToken, progress: 1 };
  send({ method: 'notifications/progress', params });
  return undefined;
}

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'slow', version: '1' },
  }),
  'tools/list': () => ({ tools: TOOLS }),
  'tools/call': call,
  ping: () => ({}),
};

for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line);
  const result = id === undefined ? undefined : METHODS[method]?.(params);
  if (result) send({ id, result });
}
