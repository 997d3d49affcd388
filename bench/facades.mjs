/**
 * Measures what the projections of other protocols cost a server:
 *
 *   npm run bench:facades -- [--model agent-20] [--rounds 6] [--seconds 5] [--only native,A2A]
 *
 * The same interaction is streamed by one server in the native stream and in each façade's, in
 * turns. The cost is the median over the rounds of the server's CPU time per interaction, by that
 * of the native stream in the same round, which holds on a busy machine, too.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { cpuMs, describeMachine } from './machine.mjs';
import { startHelper } from './partners.mjs';
import { productionCommand } from './production-command.mjs';
import { startServer } from './server.mjs';
import { openStore } from './stores.mjs';

const AT_ONCE = 8;
const WARM_UP_SECONDS = 8;
const TEXT = 'What is six times seven?';
const USER = { id: 'u1', role: 'user' };
const NAMED = {
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'react',
};
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
  progressToken: 1,
};

/** The request of each protocol for a stream, and the end of that stream. */
const PROTOCOLS = {
  native: (chat) => ({
    path: `/chats/${chat}/interactions`,
    body: { user_message: TEXT },
    end: 'interaction_complete',
  }),
  'Chat Completions': (chat_id) => ({
    path: '/v1/chat/completions',
    body: {
      ...{ model: 'react', stream: true, metadata: { chat_id } },
      messages: [{ role: 'user', content: TEXT }],
    },
    end: '[DONE]',
  }),
  Responses: (conversation) => ({
    path: '/v1/responses',
    body: { model: 'react', stream: true, conversation, input: TEXT },
    end: 'response.completed',
  }),
  'AI SDK': (id) => ({
    path: '/ai-sdk/chat?v=7',
    body: { id, messages: [{ ...USER, parts: [{ type: 'text', text: TEXT }] }] },
    end: '[DONE]',
  }),
  'AG-UI': (threadId) => ({
    path: '/ag-ui/react',
    body: { threadId, runId: 'r1', messages: [{ ...USER, content: TEXT }] },
    end: 'RUN_FINISHED',
  }),
  LangGraph: (thread) => ({
    path: `/langgraph/threads/${thread}/runs/stream`,
    body: {
      ...{ assistant_id: 'react', if_not_exists: 'create' },
      ...{ input: { messages: [{ type: 'human', content: TEXT }] } },
      stream_mode: ['values', 'messages-tuple'],
    },
    end: 'event: end',
  }),
  MCP: (chat_id) => ({
    path: '/mcp',
    headers: NAMED,
    body: {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'react', arguments: { message: TEXT, chat_id }, _meta: META },
    },
    end: 'structuredContent',
  }),
  A2A: (contextId) => ({
    path: '/a2a/react/message:stream',
    body: { message: { messageId: 'm1', contextId, role: 'ROLE_USER', parts: [{ text: TEXT }] } },
    end: 'TASK_STATE_COMPLETED',
  }),
};

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'agent-20' },
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string', default: Object.keys(PROTOCOLS).join() },
    /** A file for a CPU profile of the server. */
    profile: { type: 'string' },
  },
});
const names = values.only.split(',');

console.log(`${describeMachine()}\n`);
const model = await startHelper('fake-model.mjs', { pin: 'rest' });
const store = await openStore('file');
try {
  const env = { MODEL: `openai/${values.model}` };
  const { profile } = values;
  const server = await startServer({ command: productionCommand(), store, model, env, profile });
  try {
    await compare(server);
  } finally {
    await server.stop();
  }
} finally {
  await model.stop();
  await store.remove();
}

async function compare(server) {
  const figures = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) await measure(server, name, WARM_UP_SECONDS);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const name of round % 2 === 0 ? names : names.toReversed())
      figures[name].push(await measure(server, name, Number(values.seconds)));
  const [native, ...others] = names;
  console.log(`${native}: ${median(figures[native]).toFixed(2)} ms CPU per interaction`);
  for (const name of others) {
    const costs = figures[name].map((each, n) => (each / figures[native][n] - 1) * 100);
    console.log(`${name}: ${median(costs).toFixed(1)} % more`);
  }
}

/** CPU milliseconds of the server per interaction. */
async function measure({ pid, port }, name, seconds) {
  const end = performance.now() + seconds * 1000;
  const before = cpuMs(pid);
  let answers = 0;
  const worker = async () => {
    while (performance.now() < end) {
      await stream(port, PROTOCOLS[name](`chat_${randomUUID().replaceAll('-', '')}`));
      answers++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (cpuMs(pid) - before) / answers;
}

async function stream(port, { path, headers, body, end }) {
  const accept = { accept: 'application/json, text/event-stream' };
  const native = path.startsWith('/chats/') && { accept: 'text/event-stream' };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...accept, ...native, ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok || !text.includes(end)) throw new Error(`${path}: ${response.status} ${text}`);
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return (sorted[Math.floor(half)] + sorted[Math.ceil(half)]) / 2;
}
