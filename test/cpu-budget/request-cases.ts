import { eventually } from '../support/eventually.js';
import type { CpuCase, CpuWorld } from './cpu-world.js';
import { requestFields, requestParameters } from './request-fields.js';
import type { Route } from './request-fields.js';
import { VALUES, worstTexts } from './worst-shapes.js';

/** Of a header or the address, which Node bounds. */
const HEADER_SIZE = 12_000;

const TOOL = { name: 'door', description: 'Opens.', input_schema: { type: 'object' } };
const START = { user_message: 'Hi.', client_tools: [TOOL], file_ids: ['a'], budget: {} };

/** Valid bodies, but for ids that are not known. */
const BODIES = {
  'POST /chats/{chat_id}/interactions': START,
  'POST /chats/{chat_id}/interactions/{interaction_id}/edit': {
    ...{ new_user_message: 'Hi.', client_tools: [TOOL], budget: {} },
  },
  'POST /agents/{agent_id}/intervene': { user_comment: 'modify', user_content: 'Stop.' },
  'POST /permissions/rules': {
    ...{ scope: 'global', decision: 'ask', matcher: { type: 'tool', pattern: 'none' } },
  },
  'POST /permissions/check': { tool_name: 'bash', tool_input: { command: 'ls' } },
  'POST /chats': { settings: {} },
  'POST /chats/{chat_id}/interactions/{interaction_id}/approve': { approved: true },
  'POST /chats/{chat_id}/interactions/{interaction_id}/respond': {},
  'POST /chats/{chat_id}/interactions/{interaction_id}/tool-results': {},
  'POST /tasks': { chat_id: 'chat_0', title: 'a' },
  'POST /stream-tickets': { path: '/events' },
  'POST /keys': { user_id: 'a', scopes: ['chat'] },
} satisfies Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What a person has to decide, by the last word of its route. */
const WAITING: Readonly<Record<string, { readonly call: object; readonly field: string }>> = {
  approve: { call: { name: 'bash', arguments: { command: 'mkdir a' } }, field: 'approval_id' },
  respond: { call: { name: 'ask_human', arguments: { question: 'Why?' } }, field: 'request_id' },
  'tool-results': { call: { name: 'door', arguments: {} }, field: 'tool_call_id' },
};

interface Waiting {
  readonly path: string;
  readonly agent: string;
  readonly field: string;
  readonly id: string;
}

/** Each field of each body with each of the worst shapes. */
export function fieldCases(): CpuCase[] {
  // Made once: a copy for each field would take gigabytes.
  const texts = worstTexts().map(({ name, text }) => [name, JSON.stringify(text)] as const);
  const commands = worstTexts().map(
    ({ name, text }) => [`a command of ${name}`, JSON.stringify({ command: text })] as const,
  );
  return requestFields(BODIES).flatMap(({ name, takesText, wrap, ...route }) => {
    const values = [
      ...Object.entries(VALUES),
      ...(takesText ? texts : texts.slice(0, 1)),
      ...(/tool_input|modified_input|\.input$/.test(name) ? commands : []),
    ];
    return values.map(([shape, json]) => bodyCase(`${name}: ${shape}`, route, () => wrap(json)));
  });
}

/** A case of a request whose path has names that are known. */
function bodyCase(name: string, route: Route, makeBody: () => string): CpuCase {
  const last = route.path.split('/').at(-1)!;
  if (!(last in WAITING) && last !== 'intervene')
    return { name, run: (world) => send(world, route, makeBody()) };
  const kind = last === 'intervene' ? 'approve' : last;
  return {
    name,
    prepare: async (world) => void (await waitingIn(world, kind)),
    run: async (world) => {
      const { path, agent, field, id } = await waitingIn(world, kind);
      const body = makeBody();
      if (last === 'intervene')
        return send(world, { method: 'POST', path: `/agents/${agent}/intervene` }, body);
      const named = body.includes(`"${field}":`)
        ? body
        : `{"${field}":${JSON.stringify(id)},${body.slice(1)}`;
      return send(world, { method: 'POST', path: `${path}/${last}` }, named);
    },
  };
}

function send(world: CpuWorld, { method, path }: Route, body: string): Promise<string> {
  const at = path.replaceAll(/\{\w+\}/g, () => world.newChat());
  return world.send(method, `${at}${at.endsWith('/interactions') ? '?wait=true' : ''}`, { body });
}

const waiting = new WeakMap<CpuWorld, Map<string, Waiting>>();

/** An interaction that waits for a person. */
async function waitingIn(world: CpuWorld, kind: string): Promise<Waiting> {
  const all = waiting.get(world) ?? new Map<string, Waiting>();
  waiting.set(world, all);
  const known = all.get(kind);
  if (known && (await isWaiting(world, known.path))) return known;
  const made = await begin(world, kind);
  all.set(kind, made);
  return made;
}

async function begin(world: CpuWorld, kind: string): Promise<Waiting> {
  const { call, field } = WAITING[kind]!;
  world.openai.reply({ calls: [call as { name: string; arguments: unknown }] });
  const { id, chat_id } = await world.api.begin(world.newChat(), {
    ...{ user_message: 'Go.', client_tools: [TOOL] },
  });
  const path = `/chats/${chat_id}/interactions/${id}`;
  await eventually(() => isWaiting(world, path));
  const { items } = (await world.api.get(`/requests?interaction_id=${id}`)).body;
  const agents = (await world.api.get(`/agents/tree?interaction_id=${id}`)).body;
  const [request] = items as [Record<string, string>];
  const agent = JSON.stringify(agents).match(/agent_[\w-]{36}/)?.[0] ?? '';
  return { path, field, agent, id: request[field] ?? request['id'] ?? request['tool_call_id']! };
}

async function isWaiting(world: CpuWorld, path: string): Promise<boolean> {
  return /WAITING/.test((await world.api.get(path)).body.status as string);
}

/** Each parameter of the query and each header with a text as long as Node allows. */
export function parameterCases(): CpuCase[] {
  const texts = worstTexts(HEADER_SIZE);
  const headers = texts.filter(({ text }) => /^[\t\x20-\x7e]+$/.test(text));
  return requestParameters().flatMap(({ method, path, place, name }) => {
    const usable = place === 'header' ? headers : texts;
    return usable.map(({ name: shape, text }): CpuCase => ({
      name: `${method} ${path} ${name}: ${shape}`,
      run: (world) => {
        const encoded = encodeURIComponent(text.toWellFormed())
          .slice(0, HEADER_SIZE)
          .replace(/%.?$/, '');
        const at = path
          .replace(place === 'path' ? `{${name}}` : '{}', encoded)
          .replaceAll(/\{\w+\}/g, () => world.newChat());
        const url = place === 'query' ? `${at}?${name}=${encoded}` : at;
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
        const sent = place === 'header' ? { headers: { [name]: text.trim() || 'a' } } : {};
        return readSome(world, url, { method, ...body, ...sent });
      },
    }));
  });
}

/** Streams of all events have no end. */
async function readSome(world: CpuWorld, url: string, init: RequestInit): Promise<void> {
  const end = new AbortController();
  const headers = { 'content-type': 'application/json', ...(init.headers as object) };
  const response = await world.api.fetch(url, { ...init, headers, signal: end.signal });
  if (response.headers.get('content-type')?.includes('event-stream')) end.abort();
  else await response.text();
}
