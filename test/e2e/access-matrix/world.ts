import type { ApiClient, Reply } from '../../support/client/api-client.js';
import { eventually } from '../../support/eventually.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import type { ChatBody } from '../../support/model/fake-model.js';
import type { FakeTurn } from '../../support/model/fake-openai-turn.js';
import { formatEventId } from '../../../src/facades/mcp/call-state.js';
import type { Visibility } from '../../../src/protocol/interaction.js';
import { STATES } from './table.js';
import type { State } from './table.js';

/** Ids and cursors by what they name. */
export type Names = Readonly<Record<string, string>>;
/** One for each state of the interaction that it names. */
export type World = Readonly<Record<State, Names>>;

/** Texts that clients and models can write; in a world each begins with its word. */
export const TEXTS = [
  ...['title', 'metadata', 'message', 'thinking', 'text', 'input', 'answer', 'approval'],
  ...['question', 'call', 'task', 'description', 'rule', 'note'],
  ...['file', 'content'],
];

const OPEN_DOOR = { name: 'open_door', description: 'Opens.', input_schema: { type: 'object' } };
const deed = (what: string) => ({ name: 'deed', arguments: { what } });
const turnsOf = (word: string): Readonly<Record<string, readonly FakeTurn[]>> => ({
  ended: [
    { thinking: `${word}-thinking`, text: `${word}-text`, calls: [deed(`${word}-input`)] },
    { calls: [{ name: 'picture', arguments: {} }] },
    { text: `${word}-answer` },
  ],
  waiting: [
    {
      calls: [
        ...[deed(`${word}-approval`), deed(`${word}-approval`)],
        { name: 'ask_human', arguments: { question: `${word}-question` } },
        { id: `call-of-${word}`, name: 'open_door', arguments: { door: `${word}-call` } },
      ],
    },
  ],
  running: [{ text: `${word}-text`, calls: [{ name: 'patient', arguments: {} }] }],
});

/** The model of a world: the user message names the turns. */
export function playWorld(body: ChatBody): FakeTurn {
  const scripted = (content: unknown): unknown => {
    const [, word, state] = /^(\w+)-message (\w+)$/.exec(String(content)) ?? [];
    return word && state ? script(...turnsOf(word)[state]!) : content;
  };
  const messages = body['messages'] as readonly ChatBody[];
  const told = messages.map((each) => ({ ...each, content: scripted(each['content']) }));
  return playScript({ ...body, messages: told });
}

/** Two chats with everything that a client can name, and `word` in all texts. */
export async function makeWorld(
  api: ApiClient,
  { word, visibility, more }: WorldOptions,
): Promise<World> {
  const mark = Math.random().toString(36).slice(2, 12).padEnd(10, '0');
  const chats = { waiting: `chat-w-${mark}`, ended: `chat-w-${mark}`, running: `chat-r-${mark}` };
  const idempotency_key = `key-${mark}`;
  const metadata = { note: `${word}-metadata` };
  for (const id of new Set(Object.values(chats)))
    made(await api.post('/chats', { id, title: `${word}-title`, metadata, visibility }));
  const begin = (state: State, body: object) =>
    api.begin(
      chats[state],
      { user_message: `${word}-message ${state}`, ...body },
      { 'idempotency-key': `${state === 'ended' ? '' : state}${idempotency_key}` },
    );
  const ended = await begin('ended', { approval_mode: 'auto' });
  const reader = await api.follow(ended);
  expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });
  const shown = reader.records.find((it) => it.type === 'TOOL_RESULT' && it.images);
  const running = await begin('running', {});
  const waiting = await begin('waiting', { client_tools: [OPEN_DOOR] });
  const pending = async () =>
    (await api.get(`/requests?interaction_id=${waiting.id}`)).body.items as Pending[];
  await eventually(async () => (await pending()).length === 4);
  const agentOf = async ({ id }: { readonly id: string }): Promise<string> =>
    (await api.get(`/agents/tree?interaction_id=${id}`)).body.root.agent_id;
  const requests = await pending();
  const ofKind = (kind: string) => requests.find((each) => each.kind === kind)!;
  const chat_id = chats.waiting;
  const task = { chat_id, title: `${word}-task`, description: `${word}-description` };
  const rule = { decision: 'deny', matcher: { type: 'tool', pattern: 'none' } };
  const described = { ...rule, description: `${word}-rule` };
  const session = { ...described, scope: 'session', scope_id: chat_id };
  const add = async (path: string, body: object): Promise<string> =>
    made(await api.post(path, { ...body })).body.id;
  const form = new FormData();
  form.set('chat_id', chat_id);
  form.set('file', new Blob([`${word}-content`]), `${word}-file`);
  const file = made(await api.send('POST', '/files', { form })).body;
  const [first, last] = [await add('/tasks', task), await add('/tasks', task)];
  const common = {
    ...more,
    word: `${word}-`,
    task: first,
    file: file.id,
    image_seq: String(shown!.seq), // of the interaction that has ended
    files_cursor: cursorOf({ created_at: '2099-01-15T10:00:00.000Z', id: file.id }),
    idempotency_key,
    rule: await add('/permissions/rules', session),
    user_rule: await add('/permissions/rules', { ...described, scope: 'user' }),
    approval: ofKind('approval').id,
    question: ofKind('input').id,
    tool_call: ofKind('tool').tool_call_id,
    mcp_session: 'n.x.y', // of nobody
    event_cursor: '1~1b0.3', // a position, the same in each interaction
    requests_cursor: cursorOf(ofKind('approval')),
    tasks_cursor: cursorOf({ created_at: '2026-01-15T10:00:00.000Z', id: last }),
    chats_cursor: cursorOf({ created_at: 'updated 2099-01-15T10:00:00.000Z', id: chat_id }),
    runs_cursor: cursorOf({ created_at: '2026-01-15T10:00:00.000Z', id: waiting.id }),
    keys_cursor: cursorOf({ created_at: '2026-01-15T10:00:00.000Z', id: more['key']! }),
    rules_cursor: (await api.get('/permissions/rules?limit=1')).body.next_cursor as string,
  };
  const interactions = { ended, running, waiting };
  const agents: Record<string, string> = {};
  for (const state of STATES) agents[state] = await agentOf(interactions[state]);
  const noted = { user_comment: `${word}-note` };
  expect((await api.post(`/agents/${agents['running']}/intervene`, noted)).status).toBe(202);
  const namesIn = (state: State): Names => {
    const [chat, interaction] = [chats[state], interactions[state].id];
    const events = `/chats/${chat}/interactions/${interaction}/events`;
    const chat_cursor = `${interaction}/1`;
    const response = `resp_${interaction}`;
    const call = { id: 1, progress: undefined, asking: 'never' } as const;
    const mcp_event = formatEventId({ interaction_id: interaction, seq: 0 }, call);
    return {
      ...common,
      chat,
      interaction,
      response,
      mcp_event,
      chat_cursor,
      agent: agents[state]!,
      events,
    };
  };
  return { waiting: namesIn('waiting'), ended: namesIn('ended'), running: namesIn('running') };
}

interface WorldOptions {
  readonly word: string;
  readonly visibility: Visibility;
  /** Names that are known. */
  readonly more: Names;
}

interface Pending {
  readonly id: string;
  readonly kind: string;
  readonly created_at: string;
  readonly tool_call_id: string;
}

function made(reply: Reply): Reply {
  expect([reply.status, reply.body]).toEqual([201, expect.anything()]);
  return reply;
}

function cursorOf({
  created_at,
  id,
}: {
  readonly created_at: string;
  readonly id: string;
}): string {
  return Buffer.from(`${created_at} ${id}`).toString('base64url');
}

/** Names of the same length that name nothing. */
export function missing(names: Names): Names {
  const none = (name: string): string => name.replace(/.{1,4}$/, (end) => '0'.repeat(end.length));
  const known = Object.values(names).filter((name) => name.length > 8);
  const inside = (text: string): string =>
    known.reduce((rest, name) => rest.replaceAll(name, none(name)), text);
  const entries = Object.entries(names).map(([key, name]) => {
    if (key === 'event_cursor') return [key, name];
    if (key === 'events' || key === 'chat_cursor') return [key, inside(name)];
    if (!key.endsWith('_cursor')) return [key, none(name)];
    return [
      key,
      Buffer.from(inside(Buffer.from(name, 'base64url').toString())).toString('base64url'),
    ];
  });
  return Object.fromEntries(entries) as Names;
}
