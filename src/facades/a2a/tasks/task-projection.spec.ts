import type { StreamEvent } from '../../../event-log/follow/stream-event.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import { eventSchemas } from '../../../protocol/event-schemas.js';
import { TaskProjection } from './task-projection.js';
import { TaskStream } from './task-stream.js';
import type { StreamResponse } from '../wire.js';

type Type = StreamEvent['type'];
type Fields = Readonly<Record<string, unknown>>;

const AT = '2026-01-15T10:00:00.000Z';
const ROW = {
  ...{ id: 'int_1', chat_id: 'chat_1', agent: 'react', model: 'demo/script', agent_id: 'agent_1' },
  ...{ user_message: 'Hi', metadata: {}, status: 'RUNNING', created_at: AT, last_seq: 1 },
} as unknown as InteractionRow;

const IDS = { taskId: 'int_1', contextId: 'chat_1' };
const ASKED = {
  ...{ approval_id: 'approval_1', tool_call_id: 'call_1', tool_name: 'bash' },
  ...{ tool_input: '{"command":"ls"}', action: 'Run ls', category: 'execute', risk: 'low' },
  ...{ reason: 'No rule allows it.', expires_at: null },
};
const APPROVAL = {
  ...{ approval_id: 'approval_1', tool_call_id: 'call_1', tool_name: 'bash' },
  ...{ arguments: { command: 'ls' }, action: 'Run ls', category: 'execute', risk: 'low' },
  ...{ reason: 'No rule allows it.', expires_at: null },
};
const QUESTION = { question: 'Which?', options: ['a', 'b'], expires_at: null };
const CALL = { id: 'call_1', block_id: '1b2', tool_name: 'bash', tool_input: '{"command":"ls"}' };
const BY = { kind: 'user', user_id: 'ann' };
const USAGE = { input_tokens: 3, output_tokens: 2 };

const half = make('TEXT_DELTA', { block_id: '1b0', offset: 0, delta: 'Half' });
const call = make('TOOL_CALL', CALL);
const turn = make('TURN_COMPLETED', {
  ...{ model: 'demo/script', finish_reason: 'tool_calls', usage: USAGE, duration_ms: 1 },
});
const chunk = (text: string, more: Fields = {}) => {
  return {
    artifactUpdate: { ...IDS, artifact: { artifactId: 'text-1', parts: [{ text }] }, ...more },
  };
};
const status = (state: string, more: Fields = {}) => {
  return {
    statusUpdate: { ...IDS, status: { state: `TASK_STATE_${state}`, timestamp: AT }, ...more },
  };
};
const asks = (messageId: string, text: string, data: Fields) => {
  const message = { messageId, ...IDS, role: 'ROLE_AGENT', parts: [{ text }, { data }] };
  const given = { state: 'TASK_STATE_INPUT_REQUIRED', message, timestamp: AT };
  return { statusUpdate: { ...IDS, status: given } };
};
const NOTHING = { adds: [] };

interface Row {
  /** Of the event; the example of its schema where there are none. */
  readonly fields?: Fields;
  readonly before?: readonly StreamEvent[];
  readonly adds: readonly unknown[];
  /** The text and data of messages that the history has after it, but for the first. */
  readonly says?: readonly unknown[];
}

/** The updates that an event of each type makes, after others where it needs some. */
const TABLE: Readonly<Record<Type, Row>> = {
  TEXT_DELTA: { fields: { block_id: '1b0', offset: 0, delta: 'Hel' }, adds: [chunk('Hel')] },
  MESSAGE: {
    before: [half],
    fields: { block_id: '1b0', content: 'Half' },
    adds: [chunk('', { append: true, lastChunk: true })],
  },
  ANSWER: {
    before: [half],
    fields: { block_id: '1b9', content: 'Whole', replaces: '1b0' },
    adds: [chunk('Whole', { lastChunk: true })],
  },
  NOTICE: {
    before: [half],
    fields: { code: 'model_retry', message: 'Again.', void: ['1b0'] },
    adds: [chunk('')],
  },
  RESUMED: { before: [half], fields: { attempt: 1, reason: 'Lost.' }, adds: [chunk('')] },
  APPROVAL_REQUIRED: {
    before: [call, turn],
    fields: ASKED,
    adds: [
      asks('approval_1', 'Approval is required to call bash: Run ls\nNo rule allows it.', APPROVAL),
    ],
  },
  APPROVED: {
    before: [call, turn, make('APPROVAL_REQUIRED', ASKED)],
    fields: { approval_id: 'approval_1', tool_call_id: 'call_1', by: BY },
    adds: [status('WORKING')],
    says: [[expect.anything(), { data: APPROVAL }], { approval_id: 'approval_1', approved: true }],
  },
  REJECTED: {
    before: [call, turn, make('APPROVAL_REQUIRED', ASKED)],
    fields: { approval_id: 'approval_1', tool_call_id: 'call_1', by: BY, reason: 'No.' },
    adds: [status('WORKING')],
    says: [
      [expect.anything(), { data: APPROVAL }],
      { approval_id: 'approval_1', approved: false, reason: 'No.' },
    ],
  },
  INPUT_REQUIRED: {
    before: [call, turn],
    fields: { request_id: 'input_1', tool_call_id: 'call_1', ...QUESTION },
    adds: [asks('input_1', 'Which?\n- a\n- b', { request_id: 'input_1', ...QUESTION })],
  },
  INPUT_RECEIVED: {
    fields: { request_id: 'input_1', answer: 'a', by: BY },
    adds: [],
    says: [{ request_id: 'input_1', answer: 'a' }],
  },
  TOOL_RESULT_REQUIRED: {
    before: [call, turn],
    fields: {
      ...{ request_id: 'input_2', tool_call_id: 'call_1', tool_name: 'bash', tool_input: '{}' },
    },
    adds: [
      asks('input_2', 'The client that began this task has to run its tool bash.', {
        ...{ request_id: 'input_2', tool_call_id: 'call_1', tool_name: 'bash', arguments: {} },
      }),
    ],
  },
  AGENT_INTERVENED: {
    fields: { intervention_id: 'intervention_1', by: BY, user_comment: 'Only tests.' },
    adds: [],
    says: ['Only tests.'],
  },
  INTERACTION_COMPLETE: {
    before: [half, turn, make('ERROR', { code: 'x', message: 'Refused.' })],
    fields: { status: 'FAILED' },
    adds: [
      chunk(''),
      {
        statusUpdate: {
          ...IDS,
          status: {
            ...{ state: 'TASK_STATE_FAILED', timestamp: AT },
            message: {
              ...{ messageId: 'int_1-1', ...IDS, role: 'ROLE_AGENT' },
              parts: [{ text: 'Refused.' }],
            },
          },
          metadata: { usage: USAGE },
        },
      },
    ],
  },
  INTERACTION_STARTED: NOTHING,
  THINKING: NOTHING,
  THINKING_DELTA: NOTHING,
  TOOL_CALL: NOTHING,
  TOOL_STARTED: NOTHING,
  TOOL_RESULT: NOTHING,
  TOOL_INPUT_DELTA: NOTHING,
  TOOL_OUTPUT_DELTA: NOTHING,
  AGENT_STARTED: NOTHING,
  AGENT_COMPLETED: NOTHING,
  AGENT_TOLD: NOTHING,
  NOTE_READ: NOTHING,
  STEP_COMPLETED: NOTHING,
  CUSTOM: NOTHING,
  METADATA_SET: NOTHING,
  TASK_UPDATED: NOTHING,
  TURN_COMPLETED: NOTHING,
  ERROR: NOTHING,
  CANCELLED: NOTHING,
  TRACE: NOTHING,
};

const begun = make('INTERACTION_STARTED', {
  ...{ chat_id: 'chat_1', user_message: 'Hi', agent: 'react', model: 'demo/script' },
  parent_id: null,
});

describe(TaskProjection.name, () => {
  it.each(Object.entries(TABLE))(
    'projects %s',
    (type, { fields, before = [], adds, says = [] }) => {
      const projection = open();
      for (const each of [begun, ...before]) projection.take(each);
      const event = fields ? make(type as Type, fields) : exampleOf(type as Type);
      expect(projection.take(event)).toEqual(adds);
      const { history = [] } = projection.task();
      if (says.length > 0) expect(history.slice(1).map(({ parts }) => simple(parts))).toEqual(says);
    },
  );

  it('gives the next text the id of one that is void', () => {
    const projection = open();
    const next = make('TEXT_DELTA', { block_id: '1b1', offset: 0, delta: 'Whole' });
    for (const each of [begun, half, make('NOTICE', { code: 'x', message: 'x', void: ['1b0'] })])
      projection.take(each);
    expect(projection.task().artifacts).toBeUndefined();
    expect(projection.take(next)).toEqual([chunk('Whole')]);
  });

  it('leaves out texts of children', () => {
    const projection = open();
    projection.take(begun);
    for (const type of ['TEXT_DELTA', 'MESSAGE'] as const) {
      const event = { ...exampleOf(type), agent_id: 'agent_2' } as StreamEvent;
      expect(projection.take(event)).toEqual([]);
    }
  });

  it('does not wait for a request that is settled, although no record says so', () => {
    const projection = new TaskProjection(ROW, () => false);
    const events = [begun, call, turn, make('APPROVAL_REQUIRED', ASKED)];
    expect(events.flatMap((event) => projection.take(event))).toEqual([]);
    expect(projection.isOver).toBe(false);
  });

  it('begins as submitted if it is queued', () => {
    const projection = new TaskProjection({ ...ROW, status: 'QUEUED', last_seq: 0 }, () => true);
    expect(projection.task().status.state).toBe('TASK_STATE_SUBMITTED');
    expect(projection.take(begun)).toEqual([status('WORKING')]);
  });

  it('has the last messages of its history', () => {
    const projection = open();
    const note = { intervention_id: 'n', by: BY, user_comment: 'Only tests.' };
    for (const event of [begun, make('AGENT_INTERVENED', note)]) projection.take(event);
    const lengths = [undefined, 0, 1, 9].map((length) => projection.task(length).history?.length);
    expect(lengths).toEqual([2, undefined, 1, 2]);
  });

  it('has the id that the client gave its message', () => {
    const metadata = { a2a: { message_id: 'mine' } };
    const projection = new TaskProjection({ ...ROW, metadata }, () => true);
    expect(projection.task().history).toMatchObject([
      { messageId: 'mine', parts: [{ text: 'Hi' }] },
    ]);
  });
});

describe(TaskStream.name, () => {
  const framing = {
    frame: (response: StreamResponse) => ({ data: JSON.stringify(response) }),
    error: () => ({ data: 'error' }),
  };
  const read = (after: number, events: readonly StreamEvent[]) => {
    const stream = new TaskStream(open(), framing, { after, historyLength: undefined });
    const frames = [
      ...stream.begin(),
      ...events.flatMap((event) => stream.take({ event } as never)),
    ];
    const kinds = frames.map(({ data }) => Object.keys(JSON.parse(data) as object)[0]);
    return { kinds, isDone: stream.isDone };
  };
  const at = (seq: number, event: StreamEvent) => ({ ...event, seq }) as StreamEvent;
  const events = [at(1, begun), half, at(2, call), at(3, make('APPROVAL_REQUIRED', ASKED))];

  it('begins with the task', () => {
    expect(read(0, events.slice(0, 2))).toEqual({
      kinds: ['task', 'artifactUpdate'],
      isDone: false,
    });
  });

  it('begins with the task as it is after a record, and ends where it waits', () => {
    const whole = at(2, make('MESSAGE', { block_id: '1b0', content: 'Half' }));
    const done = [...events.slice(0, 2), whole, at(3, call), at(4, turn)];
    const asked = at(5, make('APPROVAL_REQUIRED', ASKED));
    expect(read(4, [...done, asked])).toEqual({ kinds: ['task', 'statusUpdate'], isDone: true });
    expect(read(5, [...done, asked])).toEqual({ kinds: ['task'], isDone: true });
  });
});

function open(): TaskProjection {
  return new TaskProjection(ROW, () => true);
}

function simple(parts: readonly object[]): unknown {
  const [part] = parts as Record<string, unknown>[];
  return parts.length > 1 ? parts : (part?.['text'] ?? part?.['data']);
}

function exampleOf(type: Type): StreamEvent {
  const example = eventSchemas().get(type)!.meta()!['example'] as StreamEvent;
  return { ...example, interaction_id: 'int_1', agent_id: 'agent_1' };
}

/** An event of the root agent that its schema takes. */
function make(type: Type, fields: Fields): StreamEvent {
  const schema = eventSchemas().get(type)!;
  const delta = type.endsWith('_DELTA') || type === 'TRACE';
  const record = delta ? {} : { seq: 1, at: AT };
  const event = { type, interaction_id: 'int_1', agent_id: 'agent_1', ...record, ...fields };
  return schema.parse(event) as unknown as StreamEvent;
}
