// An MCP server that speaks the wire format by hand, and does what no good server does when it is
// told to.
import { createInterface } from 'node:readline';

const started = Date.now();
const tools = new Map(
  ['echo', 'die', 'garbage', 'huge', 'hang', 'fail', 'grow', 'env', 'parts'].map((name) => [
    name,
    tool(name),
  ]),
);

function tool(name) {
  const inputSchema = {
    type: 'object',
    properties: { text: { type: 'string', maxLength: 20 } },
    required: name === 'echo' ? ['text'] : [],
  };
  const annotations =
    name === 'echo' ? { readOnlyHint: true, openWorldHint: false } : { destructiveHint: false };
  return { name, description: `Does ${name}.`, inputSchema, annotations };
}

tools.set('trap', trap());
tools.set('bulky', { name: 'bulky', inputSchema: { description: 'x'.repeat(100_001) } });

/** Its schema takes for ever to check, and what it says of its results can't be read. */
function trap() {
  const text = { type: 'string', pattern: '^(a+)+$' };
  const inputSchema = { type: 'object', properties: { text } };
  const outputSchema = { type: 'object', properties: { a: { $ref: '#/nowhere' } } };
  return { name: 'trap', inputSchema, outputSchema };
}

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });

const CALLS = {
  echo: ({ text: said }) => text(said),
  die: () => process.exit(3),
  garbage: () => {
    process.stdout.write('this is no JSON\n{"jsonrpc":\n\n[]\n');
    return text('after the garbage');
  },
  huge: () => text('x'.repeat(50_000_000)),
  hang: () => undefined,
  fail: () => ({ ...text('no such city'), isError: true }),
  grow: () => {
    tools.set('grown', tool('grown'));
    send({ method: 'notifications/tools/list_changed' });
    return text('grown');
  },
  grown: () => text('new here'),
  parts: () => ({
    content: [...text('read').content, ...Array.from({ length: 40_000 }, () => ({ type: 'odd' }))],
  }),
  trap: () => text('sprung'),
  env: () => text(JSON.stringify(process.env)),
};

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'odd', version: `${started}` },
  }),
  'tools/list': () => ({ tools: [...tools.values()] }),
  'tools/call': ({ name, arguments: args }) => CALLS[name](args),
  ping: () => ({}),
};

for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'notifications/cancelled') process.stderr.write(`cancelled ${params.requestId}\n`);
  if (id === undefined) continue;
  const result = METHODS[method]?.(params);
  if (result) send({ id, result });
}
