import type { StreamEvent } from '../../event-log/follow/stream-event.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { eventSchemas } from '../../protocol/event-schemas.js';
import type { StreamedProjection } from '../base/projected-streams.js';
import { ChatProjection } from './chat/chat-projection.js';
import { ResponseProjection } from './responses/response-projection.js';

type Type = StreamEvent['type'];
type Fields = Readonly<Record<string, unknown>>;

interface Entry {
  readonly before?: readonly StreamEvent[];
  readonly fields?: Fields;
  /** What chunks of Chat Completions have; none unless given. */
  readonly chat?: readonly unknown[];
  /** Events of Responses, without `response.`; none unless given. */
  readonly response?: readonly string[];
}

const AT = '2026-01-15T10:00:00.000Z';
const CALL = { id: 'call_1', block_id: '1b2', tool_name: 'door', tool_input: '{"door":"front"}' };
const ASKED = { request_id: 'tool_1', tool_call_id: 'call_1', tool_name: 'door' };
const TEXT = { block_id: '1b0', offset: 0, delta: 'Hel' };
const ADDED = ['output_item.added', 'content_part.added'];
const DONE = ['content_part.done', 'output_item.done'];
const ITEM = ['output_item.added', 'output_item.done'];
const REQUIRED = { request_id: 'input_1', question: 'Which?', options: ['a'], expires_at: null };
const ENDED = { error: 'interaction_failed' };

/** What an event of each type adds, after others where it needs some. */
const TABLE: Readonly<Record<Type, Entry>> = {
  TEXT_DELTA: {
    fields: TEXT,
    chat: [{ content: 'Hel' }],
    response: [...ADDED, 'output_text.delta'],
  },
  THINKING_DELTA: {
    fields: TEXT,
    chat: [{ reasoning_content: 'Hel' }],
    response: [...ADDED, 'reasoning_text.delta'],
  },
  MESSAGE: {
    before: [make('TEXT_DELTA', TEXT)],
    fields: { block_id: '1b0', content: 'Hel' },
    response: ['output_text.done', ...DONE],
  },
  THINKING: {
    before: [make('THINKING_DELTA', TEXT)],
    fields: { block_id: '1b0', content: 'Hel' },
    response: ['reasoning_text.done', ...DONE],
  },
  ANSWER: {
    before: [make('TEXT_DELTA', TEXT)],
    fields: { block_id: '1b0', content: 'Hel' },
    response: ['output_text.done', ...DONE],
  },
  NOTICE: {
    before: [make('TEXT_DELTA', TEXT)],
    fields: { code: 'retry', message: 'Again.', void: ['1b0'] },
    response: ['output_text.done', ...DONE],
  },
  RESUMED: {
    before: [make('TEXT_DELTA', TEXT)],
    fields: { epoch: 2 },
    response: ['output_text.done', ...DONE],
  },
  TOOL_RESULT: {
    before: [make('TOOL_CALL', CALL)],
    fields: { id: 'call_1', tool_name: 'door', tool_output: 'open', is_error: false },
    response: ITEM,
  },
  TOOL_RESULT_REQUIRED: {
    before: [make('TOOL_CALL', CALL)],
    fields: { ...ASKED, tool_input: CALL.tool_input, expires_at: null },
    chat: [
      {
        tool_calls: [
          {
            ...{ index: 0, id: 'call_1--int_1', type: 'function' },
            function: { name: 'door', arguments: CALL.tool_input },
          },
        ],
      },
      { finish_reason: 'tool_calls' },
      '[DONE]',
    ],
    response: [
      ...['output_item.added', 'function_call_arguments.delta', 'function_call_arguments.done'],
      ...['output_item.done', 'completed'],
    ],
  },
  APPROVAL_REQUIRED: {
    before: [make('TOOL_CALL', CALL)],
    fields: { approval_id: 'approval_1', tool_call_id: 'call_1', tool_name: 'door' },
    response: [...ITEM, 'incomplete'],
  },
  INPUT_REQUIRED: {
    fields: REQUIRED,
    chat: [{ content: 'Which?\n- a' }, { finish_reason: 'stop' }, '[DONE]'],
    response: [...ADDED, 'output_text.delta', 'output_text.done', ...DONE, 'incomplete'],
  },
  INTERACTION_COMPLETE: {
    fields: { status: 'COMPLETED' },
    chat: [{ finish_reason: 'stop' }, '[DONE]'],
    response: ['completed'],
  },
  ERROR: { fields: { code: 'model_refused', message: 'No.' } },
  CANCELLED: { fields: { reason: 'Enough.' } },
  TURN_COMPLETED: {},
  INTERACTION_STARTED: {},
  INPUT_RECEIVED: {},
  APPROVED: {},
  REJECTED: {},
  TOOL_CALL: {},
  TOOL_STARTED: {},
  AGENT_STARTED: {},
  AGENT_COMPLETED: {},
  AGENT_INTERVENED: {},
  AGENT_TOLD: {},
  NOTE_READ: {},
  STEP_COMPLETED: {},
  CUSTOM: {},
  METADATA_SET: {},
  TASK_UPDATED: {},
  TOOL_INPUT_DELTA: {},
  TOOL_OUTPUT_DELTA: {},
  TRACE: {},
};

const EXAMPLES = new Map(
  [...eventSchemas().values()].map((schema) => {
    const example = schema.meta()!['example'] as StreamEvent;
    return [example.type, example];
  }),
);
const ROW = {
  ...{ id: 'int_1', chat_id: 'chat', agent: 'react', model: 'm', agent_id: 'agent_1' },
  ...{ metadata: {}, status: 'RUNNING', settings: {}, created_at: AT },
} as unknown as InteractionRow;

const chatOf = (): ChatProjection =>
  new ChatProjection({ row: ROW, model: 'react', after: 0, include_usage: false });
const responseOf = (): ResponseProjection => new ResponseProjection({ row: ROW, after: 0 });

/** With a seq if the event is a record. */
function make(type: Type, fields: Fields, seq = 2): StreamEvent {
  const numbered = 'offset' in fields || type === 'TRACE' ? {} : { seq, at: AT };
  return { ...fields, interaction_id: 'int_1', agent_id: 'agent_1', type, ...numbered } as never;
}

/** The frames of the last event. */
function framesOf(projection: StreamedProjection, events: readonly StreamEvent[]) {
  return events.map((event) => projection.take({ event, cursor: '' })).at(-1)!;
}

function chunksIn(frames: ReturnType<typeof framesOf>): unknown[] {
  return frames.map(({ data }) => {
    if (data === '[DONE]') return data;
    const { choices, error } = JSON.parse(data);
    if (error) return { error: error.code };
    const [{ delta, finish_reason }] = choices;
    return finish_reason === null ? delta : { finish_reason };
  });
}

describe('Frames of OpenAI’s protocols', () => {
  it.each(Object.entries(TABLE))('of %s', (type, { before = [], fields, chat, response }) => {
    const example = fields ?? { ...EXAMPLES.get(type as Type)! };
    const started = make('INTERACTION_STARTED', { ...EXAMPLES.get('INTERACTION_STARTED')! }, 1);
    const events = [started, ...before, make(type as Type, example, 3)];
    expect(chunksIn(framesOf(chatOf(), events))).toEqual(chat ?? []);
    const types = framesOf(responseOf(), events).map((frame) => frame.type);
    expect(types).toEqual((response ?? []).map((each) => `response.${each}`));
  });

  it.each([
    ['FAILED', 'ERROR', 'response.failed'],
    ['CANCELLED', 'CANCELLED', 'response.incomplete'],
  ] as const)('of an end that is %s', (status, type, name) => {
    const why = make(type, { code: 'failed', message: 'No.', reason: 'Enough.' });
    const events = [why, make('INTERACTION_COMPLETE', { status }, 3)];
    expect(chunksIn(framesOf(chatOf(), events))).toEqual([ENDED]);
    const projection = responseOf();
    expect(framesOf(projection, events).map((frame) => frame.type)).toEqual([name]);
    expect(projection.response()).toMatchObject({ status: status.toLowerCase() });
  });

  it('have rising numbers, also where a record makes very many', () => {
    const blocks = Array.from({ length: 80 }, (_, at) => `b${at}`);
    const texts = blocks.map((block_id) => make('TEXT_DELTA', { ...TEXT, block_id }));
    const started = make('INTERACTION_STARTED', {}, 1);
    const notice = make('NOTICE', { code: 'retry', message: 'Again.', void: blocks });
    const projection = responseOf();
    const frames = [started, ...texts, notice].flatMap((event) =>
      projection.take({ event, cursor: '' }),
    );
    const numbers = frames.map(({ data }) => JSON.parse(data).sequence_number as number);
    expect(numbers).toHaveLength(80 * 6);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });

  it('are a whole answer without the text in whose place another was returned', () => {
    const texts = [
      make('INTERACTION_STARTED', {}, 1),
      make('TEXT_DELTA', { ...TEXT, delta: 'Yes.' }),
      make('ANSWER', { block_id: '1b0', content: 'Yes.' }),
      make('TEXT_DELTA', { ...TEXT, block_id: '1b1', delta: 'Yes. (signed)' }),
      make('ANSWER', { block_id: '1b1', content: 'Yes. (signed)', replaces: '1b0' }, 3),
      make('INTERACTION_COMPLETE', { status: 'COMPLETED' }, 4),
    ];
    const [chat, response] = [chatOf(), responseOf()];
    framesOf(chat, texts);
    const ended = JSON.parse(framesOf(response, texts).at(-1)!.data);
    const content = 'Yes. (signed)';
    expect(chat.completion()).toMatchObject({ choices: [{ message: { content } }] });
    const output = [{ content: [{ text: content }] }];
    expect([ended.response, response.response()]).toMatchObject([{ output }, { output }]);
  });

  it('have no text, thought or call of a child', () => {
    for (const [type, fields] of [
      ['TEXT_DELTA', TEXT],
      ['THINKING_DELTA', TEXT],
      ['TOOL_CALL', CALL],
      ['ANSWER', { block_id: '1b0', content: 'Hel' }],
    ] as const) {
      const events = [{ ...make(type, fields), agent_id: 'agent_2' }];
      expect([framesOf(chatOf(), events), framesOf(responseOf(), events)]).toEqual([[], []]);
    }
  });
});
