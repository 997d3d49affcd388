import fc from 'fast-check';
import { Ids } from '../../../src/kernel/ids.js';
import type { RecordBody, StoppedEffect } from '../../../src/protocol/events.js';
import { IMAGES } from '../../support/tools/images.js';
import { toLog } from './session-log-world.js';

const ids = new Ids();
const START = Date.UTC(2026, 0, 15, 10);
const STATUSES = ['COMPLETED', 'FAILED', 'CANCELLED'] as const;

type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never;

interface Content {
  readonly body: RecordBody;
  readonly hidden?: unknown;
  /** The root unless given. */
  readonly agent_id?: string;
}

/** Text as tools and models write it. */
const TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '\0', '\ud800', '\u2028\u2029\u0085', '😀', '\r\n', '{"type":"end"}\n'),
);
/** Text as people write it. */
const SAID = TEXT.filter((text) => !/[\0\ud800-\udfff]/.test(text));
const BLOCK = fc.record({ block_id: fc.stringMatching(/^[a-z0-9]{1,8}$/), content: TEXT });
const JSON_OBJECT = fc
  .dictionary(fc.stringMatching(/^[a-z0-9]{1,4}$/), fc.jsonValue({ maxDepth: 2 }))
  .map((input) => JSON.parse(JSON.stringify(input).replaceAll('__proto__', 'proto')));

const EVENT: fc.Arbitrary<Content> = fc.oneof(
  BLOCK.map((block): Content => ({ body: { type: 'THINKING', ...block } })),
  BLOCK.map((block): Content => {
    return { body: { type: 'ANSWER', ...block, partial: true }, hidden: { standalone: true } };
  }),
  TEXT.map((name): Content => {
    return { body: { type: 'STEP_COMPLETED', name }, hidden: { value: [name, { 9: null }] } };
  }),
  TEXT.map((message): Content => {
    return { body: { type: 'NOTICE', code: 'odd', message, void: ['1b0'] } };
  }),
  fc.tuple(JSON_OBJECT, TEXT).map(([modified_input, reason]): Content => {
    const told = {
      approval_id: ids.make('approval'),
      tool_call_id: 'none',
      by: { kind: 'user', user_id: 'ann' },
      reason,
    } as const;
    return { body: { type: 'APPROVED', ...told, modified_input } };
  }),
);

/**
 * What an interaction did; `call` is a turn with a call and its result, `ask` a question, `child`
 * an agent.
 */
const EVENTS = fc.array(
  fc.oneof(EVENT, fc.constantFrom('call' as const, 'ask' as const, 'child' as const)),
  {
    maxLength: 6,
  },
);

const INTERACTION = fc.record({
  events: EVENTS,
  status: fc.constantFrom(...STATUSES),
  parent: fc.nat(),
  message: SAID,
  epoch: fc.nat(5),
});

const CHAT = fc.record({
  interactions: fc.array(INTERACTION, { maxLength: 5 }),
  head: fc.nat(),
  title: fc.option(SAID),
  preview: fc.option(SAID),
  tag: TEXT,
});

/**
 * Session logs of chats with branches, as an export writes them, but without the lines for people.
 */
export const GENERATED_LOG: fc.Arbitrary<string> = CHAT.map(toSessionLog);

function toSessionLog({ interactions, head, tag, ...texts }: ValueOf<typeof CHAT>): string {
  const chat_id = ids.make('chat');
  const built: Built[] = [];
  for (const each of interactions) {
    const parent_id = built[each.parent % (built.length + 1)]?.id ?? null;
    built.push(build({ ...each, chat_id, parent_id, n: built.length }));
  }
  const headId = built[head % Math.max(1, built.length)]?.id ?? null;
  const branch = branchOf(built, headId);
  const chat = {
    type: 'chat',
    id: chat_id,
    ...texts,
    agent: null,
    settings: {},
    head_interaction_id: headId,
  };
  const logs = built.map(({ id, row, rest }) => [
    { ...row, superseded_at: branch.has(id) ? null : time(7) },
    ...rest,
  ]);
  return toLog([
    { type: 'session_log', version: 1 },
    { ...chat, created_at: time(0), updated_at: time(1), metadata: { tag } },
    ...logs.flat(),
    { type: 'end' },
  ]);
}

/** Who imports the log. */
const IMPORTER = { kind: 'user', user_id: 'local' } as const;

interface Plan extends ValueOf<typeof INTERACTION> {
  readonly chat_id: string;
  readonly parent_id: string | null;
  readonly n: number;
}

interface Built {
  readonly id: string;
  readonly parent_id: string | null;
  readonly row: object;
  readonly rest: readonly object[];
}

function build({ chat_id, parent_id, n, events, status, message, epoch }: Plan): Built {
  const id = ids.make('int');
  const agent_id = ids.make('agent');
  const begun = { chat_id, user_message: message, agent: 'react', model: 'demo/script', parent_id };
  const contents: Content[] = [
    { body: { type: 'INTERACTION_STARTED', ...begun, by: IMPORTER } },
    ...events.flatMap((event, at) => {
      if (event === 'call') return turnWithCall(`call_${n}_${at}`);
      if (event === 'child') return childOf(agent_id);
      return event === 'ask' ? [question(ids.make('input'))] : [event];
    }),
    { body: { type: 'INTERACTION_COMPLETE', status } },
  ];
  const records = contents.map(({ body, hidden = null, agent_id: by = agent_id }, at) => ({
    ...{ type: 'record', interaction_id: id, seq: at + 1, epoch, agent_id: by, at: time(at) },
    ...{ key: at === 0 ? null : `main/${at}`, body, hidden },
  }));
  const row = {
    ...{ type: 'interaction', id, parent_id, edited_from: null, status, begun: true },
    ...{ user_message: message, agent: 'react', agent_id, model: 'demo/script' },
    ...{ created_at: time(2), completed_at: time(9), superseded_at: null },
    error: status === 'FAILED' ? { code: 'odd', message: 'Odd.' } : null,
    ...{ usage: { input_tokens: n, output_tokens: 2 }, last_seq: records.length, epoch },
    settings: SETTINGS,
    metadata: { n },
  };
  return { id, parent_id, row, rest: [...records, ...records.flatMap(toRequest)] };
}

const SETTINGS = {
  ...{ max_iterations: 3, on_disconnect: 'cancel', approval_mode: 'ask', client_tools: [] },
};

function question(request_id: string): Content {
  return { body: { type: 'INPUT_REQUIRED', request_id, question: 'Why?', expires_at: null } };
}

function childOf(parent_agent_id: string): Content[] {
  const agent_id = ids.make('agent');
  const begun = { parent_agent_id, agent_type: 'react', prompt: 'Look.' };
  const message = { role: 'assistant', content: 'Seen.' };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const turn = { model: 'demo/script', finish_reason: 'stop', usage, duration_ms: 1 } as const;
  const hidden = { message, in_conversation: true };
  return [
    { agent_id, body: { type: 'AGENT_STARTED', ...begun }, hidden: { settings: {} } },
    { agent_id, body: { type: 'TURN_COMPLETED', ...turn }, hidden },
    { agent_id, body: { type: 'AGENT_COMPLETED', status: 'completed', result: 'Seen.' } },
    {
      body: { type: 'CANCELLED', reason: '', by: { kind: 'system' }, stopped: [stopped(agent_id)] },
    },
  ];
}

function stopped(id: string): StoppedEffect {
  return { kind: 'agent', id, name: 'react', state: 'stopped' };
}

const SEEN = {
  seen: { path: 'a.png', hash: '12ab' },
  images: [{ media_type: 'image/png', data: IMAGES.png }],
  whole: 'All that it printed.',
};

function turnWithCall(id: string): Content[] {
  const call = { id, type: 'function', function: { name: 'calculator', arguments: '{"a":1}' } };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const turn = {
    model: 'demo/script',
    finish_reason: 'tool_calls',
    usage,
    duration_ms: 1,
  } as const;
  const message = { role: 'assistant', content: null, tool_calls: [call] };
  const result = { tool_name: 'calculator', tool_output: '\0 7', is_error: false };
  return [
    { body: { type: 'TOOL_CALL', id, block_id: '1b1', tool_name: 'calculator', tool_input: '{' } },
    { body: { type: 'TURN_COMPLETED', ...turn }, hidden: { message, in_conversation: true } },
    { body: { type: 'TOOL_RESULT', id, ...result, duration_ms: 0.5 }, hidden: SEEN },
  ];
}

interface RecordLine {
  readonly interaction_id: string;
  readonly seq: number;
  readonly agent_id: string;
  readonly key: string | null;
  readonly body: RecordBody;
}

/** Every second one was answered. */
function toRequest({ interaction_id, seq, agent_id, key, body }: RecordLine): object[] {
  if (body.type !== 'INPUT_REQUIRED') return [];
  const isSettled = seq % 2 === 0;
  const request = {
    ...{ type: 'request', interaction_id, id: body.request_id, key, kind: 'input' },
    ...{ status: isSettled ? 'settled' : 'closed', agent_id },
    ...{ created_at: time(3), expires_at: null, settled_at: time(isSettled ? 4 : 9) },
    settlement: isSettled
      ? { kind: 'input', answer: 'Because.', by: { kind: 'user', user_id: 'ann' } }
      : null,
  };
  return [request];
}

function branchOf(built: readonly Built[], head: string | null): Set<string> {
  const branch = new Set<string>();
  for (let id = head; id !== null; id = built.find((each) => each.id === id)?.parent_id ?? null)
    branch.add(id);
  return branch;
}

function time(second: number): string {
  return new Date(START + second * 1000).toISOString();
}
