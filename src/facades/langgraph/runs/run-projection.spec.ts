import type { StreamEvent } from '../../../event-log/follow/stream-event.js';
import { eventSchemas } from '../../../protocol/event-schemas.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import { RunProjection, STREAM_MODES } from './run-projection.js';

type Type = StreamEvent['type'];
type Fields = Readonly<Record<string, unknown>>;

const ROW = {
  ...{ id: 'int_1', chat_id: 'chat_1', agent_id: 'agent_1', agent: 'react' },
  ...{ user_message: 'Hi', metadata: {}, last_seq: 1 },
} as unknown as InteractionRow;
const ORIGIN = { interaction_id: 'int_1', agent_id: 'agent_1' };
const CALL = { id: 'call_1', block_id: '1b2', tool_name: 'bash', tool_input: '{"command":"ls"}' };
const RESULT = { id: 'call_1', tool_name: 'bash', tool_output: 'a.txt', is_error: false };
const ASKED = { approval_id: 'approval_1', tool_call_id: 'call_1', ...CALL, action: 'Run ls' };
const BY = { kind: 'user', user_id: 'ann' };
const VERDICT = { approval_id: 'approval_1', tool_call_id: 'call_1', by: BY };
const USAGE = { input_tokens: 3, output_tokens: 2 };
const TEXT = { block_id: '1b0', content: 'Done.' };
const CHILD = {
  agent_id: 'agent_2',
  parent_agent_id: 'agent_1',
  agent_type: 'coder',
  prompt: 'Go',
};

/** The frames that an event of each type adds, after others where it needs some. */
const TABLE: Readonly<
  Record<
    Type,
    { before?: readonly (readonly [Type, Fields])[]; fields: Fields; adds: readonly string[] }
  >
> = {
  INTERACTION_STARTED: { fields: { parent_id: null }, adds: ['values'] },
  TEXT_DELTA: { fields: { block_id: '1b0', offset: 0, delta: 'Hi' }, adds: ['messages'] },
  THINKING_DELTA: { fields: { block_id: '1b0', offset: 0, delta: 'Hm' }, adds: ['messages'] },
  TOOL_INPUT_DELTA: { fields: { block_id: '1b2', offset: 0, delta: '{' }, adds: [] },
  TOOL_OUTPUT_DELTA: { fields: { tool_call_id: 'c', offset: 0, delta: 'a' }, adds: ['custom'] },
  TRACE: { fields: { name: 'x', detail: {} }, adds: [] },
  THINKING: { fields: { block_id: '1b0', content: 'Hm' }, adds: ['messages'] },
  MESSAGE: { fields: TEXT, adds: ['messages'] },
  ANSWER: { fields: TEXT, adds: ['messages'] },
  TURN_COMPLETED: {
    before: [['ANSWER', TEXT]],
    fields: { finish_reason: 'stop', usage: USAGE },
    adds: ['updates', 'values'],
  },
  TOOL_CALL: { fields: CALL, adds: ['messages'] },
  TOOL_STARTED: { fields: { id: 'call_1', tool_name: 'bash' }, adds: [] },
  TOOL_RESULT: {
    before: [['TOOL_CALL', CALL]],
    fields: RESULT,
    adds: ['messages', 'updates', 'values'],
  },
  APPROVAL_REQUIRED: {
    before: [['TOOL_CALL', CALL]],
    fields: ASKED,
    adds: ['updates', 'values', 'end'],
  },
  APPROVED: { fields: VERDICT, adds: ['custom'] },
  REJECTED: { fields: VERDICT, adds: ['custom'] },
  INPUT_REQUIRED: {
    fields: { request_id: 'input_1', question: 'Which?' },
    adds: ['updates', 'values', 'end'],
  },
  INPUT_RECEIVED: { fields: { request_id: 'input_1', answer: 'a', by: BY }, adds: ['custom'] },
  TOOL_RESULT_REQUIRED: {
    before: [['TOOL_CALL', CALL]],
    fields: { request_id: 'input_2', tool_call_id: 'call_1', tool_name: 'bash', tool_input: '{}' },
    adds: ['updates', 'values', 'end'],
  },
  STEP_COMPLETED: { fields: { name: 'now' }, adds: [] },
  CUSTOM: { fields: { name: 'progress', data: { done: 3 } }, adds: ['custom'] },
  METADATA_SET: { fields: { key: 'ticket', value: 'T-17' }, adds: ['custom'] },
  TASK_UPDATED: { fields: { task: { id: 'task_1' } }, adds: ['custom'] },
  AGENT_STARTED: { fields: CHILD, adds: ['custom'] },
  AGENT_COMPLETED: {
    before: [['AGENT_STARTED', CHILD]],
    fields: { agent_id: 'agent_2', status: 'completed', result: 'Found.' },
    adds: ['custom'],
  },
  AGENT_INTERVENED: {
    fields: { intervention_id: 'i', by: BY, user_comment: 'x' },
    adds: ['custom'],
  },
  AGENT_TOLD: { fields: { note_id: 'n', to_agent_id: 'agent_2', text: 'x' }, adds: [] },
  NOTE_READ: { fields: { note_id: 'n', from_agent_id: 'agent_2', text: 'x' }, adds: [] },
  NOTICE: { fields: { code: 'model_retry', message: 'Again.' }, adds: ['custom'] },
  RESUMED: { fields: { attempt: 1, reason: 'The server stopped.' }, adds: ['custom'] },
  CANCELLED: { fields: { reason: 'Enough.', by: BY, stopped: [] }, adds: [] },
  ERROR: { fields: { code: 'model_refused', message: 'It refused.' }, adds: [] },
  INTERACTION_COMPLETE: { fields: { status: 'COMPLETED' }, adds: ['values', 'end'] },
};

function make(type: Type, fields: Fields, seq: number): StreamEvent {
  const isRecord = !type.endsWith('_DELTA') && type !== 'TRACE';
  const numbered = isRecord && { seq, at: '2026-01-15T10:00:00.000Z' };
  return { type, ...ORIGIN, ...numbered, ...fields } as unknown as StreamEvent;
}

function started(): StreamEvent {
  return make('INTERACTION_STARTED', TABLE.INTERACTION_STARTED.fields, 1);
}

function open(more: Partial<ConstructorParameters<typeof RunProjection>[0]> = {}): RunProjection {
  return new RunProjection({
    ...{ row: ROW, modes: new Set(STREAM_MODES), after: 0, isOpen: () => true },
    readEarlier: () => Promise.resolve([]),
    ...more,
  });
}

function framesOf(projection: RunProjection, events: readonly StreamEvent[]) {
  return events.map((event, at) =>
    projection.take({ event, cursor: 'seq' in event ? String(event.seq) : `${at}~1b0.1` }),
  );
}

describe(RunProjection.name, () => {
  it('has a row for each type of event', () => {
    expect(Object.keys(TABLE).sort()).toEqual([...eventSchemas().keys()].sort());
  });

  it.each(Object.entries(TABLE))('projects %s', (type, { before = [], fields, adds }) => {
    const past = type === 'INTERACTION_STARTED' ? [] : [started()];
    const others = before.map(([name, of], at) => make(name, of, 2 + at));
    const events = [...past, ...others, make(type as Type, fields, past.length === 0 ? 1 : 9)];
    const frames = framesOf(open(), events).at(-1)!;
    expect(frames.map(({ type: event }) => event)).toEqual(adds);
    for (const { id } of frames) expect(id).toMatch(/^\d/);
  });

  it('sends only what its modes want, with ids that count that', () => {
    const events = [
      started(),
      make('TOOL_CALL', CALL, 2),
      make('TOOL_RESULT', RESULT, 3),
      make('INTERACTION_COMPLETE', { status: 'COMPLETED' }, 4),
    ];
    const frames = framesOf(open({ modes: new Set(['updates']) }), events).flat();
    expect(frames.map(({ type, id }) => [type, id])).toEqual([
      ['updates', '3:1'],
      ['end', '4:1'],
    ]);
  });

  it('begins after the record that it goes on after', () => {
    const events = [
      started(),
      make('TOOL_CALL', CALL, 2),
      make('APPROVAL_REQUIRED', ASKED, 3),
      make('APPROVED', VERDICT, 4),
      make('TOOL_RESULT', RESULT, 5),
    ];
    const projection = open({ after: 3, isOpen: () => false });
    const types = framesOf(projection, events).map((frames) => frames.map(({ type }) => type));
    expect(types).toEqual([[], [], ['values'], ['custom'], ['messages', 'updates', 'values']]);
  });

  it('says why an interaction failed, and names how others ended', () => {
    const failed = make('ERROR', { code: 'model_refused', message: 'It refused.' }, 2);
    const end = (status: string) => make('INTERACTION_COMPLETE', { status }, 3);
    const [, , frames] = framesOf(open(), [started(), failed, end('FAILED')]);
    expect(frames!.map(({ type }) => type)).toEqual(['values', 'error', 'end']);
    expect(JSON.parse(frames![1]!.data)).toEqual({
      error: 'model_refused',
      message: 'It refused.',
    });
    const [, cancelled] = framesOf(open(), [started(), end('CANCELLED')]);
    expect(JSON.parse(cancelled!.at(-1)!.data)).toEqual({ run_id: 'int_1', status: 'interrupted' });
  });
});
