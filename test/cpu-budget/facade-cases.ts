import { longLog } from '../support/client/long-log.js';
import type { CpuCase, CpuWorld } from './cpu-world.js';
import { VALUES, worstTexts } from './worst-shapes.js';

/** Of a message, which is the most. A body may have 4 MiB. */
const SIZE = 1024 * 1024;
/** Messages of a history, of which a body may have 2,000. */
const TURNS = 999;
/** Values in a body, of which it may have 200,000. */
const PARTS = 49_000;
/** Of which AI SDK bodies may have 20,000 with the messages. */
const ALLOWED = 19_000;
/** Time for a body of 4 MiB, in calibrated milliseconds. */
const TOTAL = 1_200;

const STATELESS = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const MCP_HEADERS = {
  ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'react' },
};

const user = (content: unknown): object => ({ role: 'user', content });
const assistant = (content: string): object => ({ role: 'assistant', content });
const parts = (type: string, count: number): readonly object[] =>
  Array.from({ length: count }, () => ({ type, text: 'a' }));

/** Bodies of whole histories, as clients of other protocols send them. */
export function facadeCases(): CpuCase[] {
  const texts = worstTexts(SIZE).map(({ name, text }) => [name, text.toWellFormed()] as const);
  const turns = Array.from({ length: TURNS }, (_, n) => [
    user(`q${n}`),
    assistant('a'.repeat(2000)),
  ]);
  const history = [...turns.flat(), user('Hi')];
  const chat = (messages: readonly object[]): string =>
    JSON.stringify({ model: 'react', messages });
  const ui = (id: string, ...own: readonly object[]): string =>
    JSON.stringify({
      id,
      messages: own.map((each, n) => ({ id: `m${n}`, role: 'user', ...each })),
    });
  const runAgUi = (threadId: string, ...own: readonly object[]): string =>
    JSON.stringify({
      ...{ threadId, runId: 'run' },
      messages: own.map((each, n) => ({ id: `m${n}`, role: 'user', ...each })),
    });
  const runGraph = (...messages: readonly object[]): string =>
    JSON.stringify({ assistant_id: 'react', input: { messages } });
  const command = (params: string): string =>
    `{"id":1,"method":"input.respond","params":${params}}`;
  const part = (text: string): string => JSON.stringify([{ text }]);
  const send = (given: string): string =>
    `{"message":{"messageId":"m","role":"ROLE_USER","parts":${given}}}`;
  const sendByRpc = (params: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}`;
  const respond = (input: unknown): string => JSON.stringify({ model: 'react', input });
  const callTool = (given: unknown): string => {
    const params = { name: 'react', arguments: given, _meta: STATELESS };
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  };
  return [
    ...texts.flatMap(([name, text]) => [
      post('v1/chat/completions', `a text of ${name}`, () => chat([user(text)])),
      post('v1/responses', `a text of ${name}`, () => respond(text)),
      post('ai-sdk/chat', `a text of ${name}`, (id) => ui(id, { parts: [{ type: 'text', text }] })),
      post('mcp', `a message of ${name}`, (id) => callTool({ message: text, chat_id: id })),
      post('ag-ui/react', `a text of ${name}`, (id) => runAgUi(id, { content: text })),
      post('langgraph/runs/stream', `a text of ${name}`, () => runGraph(user(text))),
      post('a2a/react/message:send', `a text of ${name}`, () => send(part(text))),
      post('v1/chat/completions', `a history of ${name}`, () =>
        chat([user('One'), assistant(text), user('Two'), assistant(text), user('Three')]),
      ),
    ]),
    ...Object.entries(VALUES).flatMap(([name, value]) => [
      post(
        'v1/chat/completions',
        `messages: ${name}`,
        () => `{"model":"react","messages":${value}}`,
      ),
      post('v1/chat/completions', `metadata: ${name}`, () =>
        chat([user('Hi')]).replace('{', `{"metadata":${value},`),
      ),
      post('v1/responses', `input: ${name}`, () => `{"model":"react","input":${value}}`),
      post('mcp', `arguments: ${name}`, () => callTool('X').replace('"X"', () => value)),
      post(
        'mcp',
        `params: ${name}`,
        () => `{"jsonrpc":"2.0","id":1,"method":"x","params":${value}}`,
      ),
      post('a2a/react', `parts: ${name}`, () => sendByRpc(send(value))),
      post('a2a/react', `params: ${name}`, () => sendByRpc(value)),
      post('a2a/react/message:send', `data: ${name}`, () => send(`[{"data":${value}}]`)),
      post('a2a/react/message:send', `metadata: ${name}`, () =>
        send(part('Hi')).replace('{', `{"metadata":${value},`),
      ),
      post('ai-sdk/chat', `messages: ${name}`, (id) => `{"id":"${id}","messages":${value}}`),
      ...['messages', 'tools', 'context', 'resume', 'state', 'forwardedProps'].map((field) =>
        post('ag-ui/react', `${field}: ${name}`, (id) =>
          runAgUi(id, { content: 'Hi' }).replace(/}$/, `,"${field}":${value}}`),
        ),
      ),
      post(
        'langgraph/runs/stream',
        `input: ${name}`,
        () => `{"assistant_id":"react","input":{"messages":${value}}}`,
      ),
      post('langgraph/runs/stream', `config: ${name}`, () =>
        runGraph(user('Hi')).replace('{', `{"config":{"configurable":${value}},`),
      ),
      post('langgraph/threads/search', `metadata: ${name}`, () => `{"metadata":${value}}`),
      post('langgraph/threads/none/commands', `params: ${name}`, () => command(value)),
    ]),
    post('a2a/react/message:send', 'many parts', () => send(JSON.stringify(parts('text', PARTS)))),
    post('a2a/react/message:send', 'allowed parts', () =>
      send(JSON.stringify(parts('text', 1_000))),
    ),
    post('v1/chat/completions', 'a long history', () => chat(history)),
    post('v1/responses', 'a long history', () => respond(history)),
    post('v1/chat/completions', 'many parts', () => chat([user(parts('text', PARTS))])),
    post('v1/responses', 'many parts', () => respond([user(parts('input_text', PARTS))])),
    post('ai-sdk/chat', 'many parts', (id) => ui(id, { parts: parts('text', PARTS) })),
    post('ai-sdk/chat', 'allowed parts', (id) => ui(id, { parts: parts('text', ALLOWED) })),
    post('ai-sdk/chat', 'allowed messages', (id) =>
      ui(id, ...Array.from({ length: ALLOWED / 2 }, () => ({ parts: parts('text', 1) }))),
    ),
    post('ag-ui/react', 'many parts', (id) => runAgUi(id, { content: parts('text', PARTS) })),
    post('ag-ui/react', 'allowed parts', (id) => runAgUi(id, { content: parts('text', ALLOWED) })),
    post('ag-ui/react', 'allowed messages', (id) =>
      runAgUi(id, ...Array.from({ length: ALLOWED }, () => ({ content: 'a' }))),
    ),
    post('copilotkit/agent/react/connect', 'allowed messages', (id) =>
      runAgUi(id, ...Array.from({ length: ALLOWED }, () => ({ content: 'a' }))),
    ),
    post('langgraph/runs/stream', 'a long history', () => runGraph(...history)),
    post('langgraph/runs/stream', 'many parts', () => runGraph(user(parts('text', PARTS)))),
    post('langgraph/runs/stream', 'allowed parts', () => runGraph(user(parts('text', ALLOWED)))),
    post('langgraph/runs/stream', 'allowed messages', () =>
      runGraph(...Array.from({ length: ALLOWED }, () => user('a'))),
    ),
    post('ai-sdk/chat', 'many messages', (id) =>
      ui(id, ...Array.from({ length: 20_000 }, () => ({ parts: parts('text', 1) }))),
    ),
  ];
}

/** Reads of what is long, in the words of other protocols. */
export function facadeReads(): CpuCase[] {
  return [
    read(
      'a long run: response',
      { calls: 600, output: 100_000 },
      (_, id) => `/v1/responses/resp_${id}`,
    ),
    read(
      'a long run: state',
      { calls: 600, output: 100_000 },
      (chat) => `/langgraph/threads/${chat}/state`,
    ),
    read(
      'many calls: updates',
      { calls: 2_000, output: 10 },
      (chat, id) => `/langgraph/threads/${chat}/runs/${id}/stream?stream_mode=updates`,
    ),
    read(
      'many calls: the end',
      { calls: 2_000, output: 10 },
      (chat, id) => `/langgraph/threads/${chat}/runs/${id}/join`,
    ),
    manyStates(),
  ];
}

/** Of a chat that begins with long messages. */
function manyStates(): CpuCase {
  const id = 'many-states';
  const messages = [user('a'.repeat(500_000)), assistant('b')];
  return {
    name: 'POST /langgraph/threads/{id}/history before an unknown checkpoint',
    prepare: async (world) => {
      await world.send('POST', '/chats', { body: JSON.stringify({ id, messages }) });
      for (let n = 0; n < 100; n++)
        await world.send('POST', `/chats/${id}/interactions`, { body: '{"user_message":"Hi"}' });
    },
    run: (world) =>
      world.send('POST', `/langgraph/threads/${id}/history`, { body: '{"before":"x"}' }),
  };
}

function read(
  name: string,
  log: Parameters<typeof longLog>[0],
  pathOf: (chat: string, interaction: string) => string,
): CpuCase {
  let path = '';
  return {
    name,
    total: TOTAL,
    prepare: async (world: CpuWorld) => {
      const headers = { 'content-type': 'application/x-ndjson' };
      const imported = await world.send('POST', '/chats/import', { body: longLog(log), headers });
      const chat = JSON.parse(imported) as { id: string; head_interaction_id: string };
      path = pathOf(chat.id, chat.head_interaction_id);
    },
    run: (world) => world.send('GET', path),
  };
}

function post(path: string, name: string, body: (chat: string) => string): CpuCase {
  return {
    name: `POST /${path} ${name}`,
    total: TOTAL,
    run: (world) =>
      world.send('POST', `/${path}`, {
        body: body(world.newChat()),
        ...(path === 'mcp' && { headers: MCP_HEADERS }),
      }),
  };
}
