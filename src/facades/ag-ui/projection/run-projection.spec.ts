import type { StreamEvent } from '../../../event-log/follow/stream-event.js';
import { eventSchemas } from '../../../protocol/event-schemas.js';
import { RunProjection } from './run-projection.js';
import type { RunOptions } from './run-projection.js';

type Type = StreamEvent['type'];
type Fields = Readonly<Record<string, unknown>>;
type Frame = Fields & { readonly type: string };

const BY = { kind: 'user', user_id: 'ann' };
const CALL = { id: 'call_1', block_id: '1b2', tool_name: 'bash', tool_input: '{"command":"ls"}' };
const ASKED = {
  ...{ approval_id: 'approval_1', tool_call_id: 'call_1', tool_name: 'bash', tool_input: '{}' },
  ...{ action: 'Run ls', category: 'execute', risk: 'low', reason: 'No rule.', expires_at: null },
};
const QUESTION = { request_id: 'input_1', question: 'Which?', expires_at: null };
const VERDICT = { approval_id: 'approval_1', tool_call_id: 'call_1', by: BY };
const DECIDED = { approval_id: 'approval_1', tool_call_id: 'call_1', by: BY };
const CHILD = {
  ...{ agent_id: 'agent_2', parent_agent_id: 'agent_1', agent_type: 'coder', prompt: 'Go.' },
};
const USAGE = { input_tokens: 3, output_tokens: 2 };
const HALF = make('TEXT_DELTA', { block_id: '1b0', offset: 0, delta: 'Half' });
const USER = { id: 'u1', role: 'user', content: 'Hi' };
const TURN = { type: 'STEP_STARTED', stepName: 'turn 1' };
const [CALLED, REQUIRED] = [make('TOOL_CALL', CALL), make('APPROVAL_REQUIRED', ASKED)];
const ENDED = { threadId: 'thread', runId: 'run', usage: [] };
const SAID = { id: 'int_1.1b2', role: 'assistant' };

/** What an event of each type adds to the run, after others where it needs some. */
const TABLE: Readonly<
  Record<
    Type,
    {
      readonly before?: readonly StreamEvent[];
      readonly fields: Fields;
      readonly adds: readonly Fields[];
    }
  >
> = {
  INTERACTION_STARTED: { fields: { user_message: 'Hi' }, adds: [] },
  TEXT_DELTA: {
    fields: { block_id: '1b0', offset: 0, delta: 'Hel' },
    adds: [
      TURN,
      { type: 'TEXT_MESSAGE_START', messageId: 'int_1.1b0', role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'int_1.1b0', delta: 'Hel' },
    ],
  },
  THINKING_DELTA: {
    fields: { block_id: '1b0', offset: 0, delta: 'Hm' },
    adds: [
      TURN,
      { type: 'REASONING_START', messageId: 'int_1.1b0' },
      { type: 'REASONING_MESSAGE_START', messageId: 'int_1.1b0', role: 'reasoning' },
      { type: 'REASONING_MESSAGE_CONTENT', messageId: 'int_1.1b0', delta: 'Hm' },
    ],
  },
  TOOL_INPUT_DELTA: { fields: { block_id: '1b2', offset: 0, delta: '{' }, adds: [] },
  TOOL_OUTPUT_DELTA: {
    fields: { block_id: '1b3', offset: 0, delta: 'a.', tool_call_id: 'call_1' },
    adds: [
      {
        ...{ type: 'CUSTOM', name: 'parley:tool_output' },
        value: { tool_call_id: 'call_1', offset: 0, delta: 'a.' },
      },
    ],
  },
  TRACE: { fields: { name: 'x', detail: 1 }, adds: [] },
  THINKING: {
    before: [make('THINKING_DELTA', { block_id: '1b0', offset: 0, delta: 'Hm' })],
    fields: { block_id: '1b0', content: 'Hm' },
    adds: [
      { type: 'REASONING_MESSAGE_END', messageId: 'int_1.1b0' },
      { type: 'REASONING_END', messageId: 'int_1.1b0' },
    ],
  },
  MESSAGE: {
    before: [HALF],
    fields: { block_id: '1b0', content: 'Half' },
    adds: [{ type: 'TEXT_MESSAGE_END', messageId: 'int_1.1b0' }],
  },
  ANSWER: {
    before: [make('MESSAGE', { block_id: '1b0', content: 'Dun.' })],
    fields: { block_id: '1b1', content: 'Done.', replaces: '1b0' },
    adds: [
      { type: 'TEXT_MESSAGE_START', messageId: 'int_1.1b1', role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'int_1.1b1', delta: 'Done.' },
      { type: 'TEXT_MESSAGE_END', messageId: 'int_1.1b1' },
      {
        type: 'MESSAGES_SNAPSHOT',
        messages: [USER, { id: 'int_1.1b1', role: 'assistant', content: 'Done.' }],
      },
    ],
  },
  TURN_COMPLETED: {
    before: [HALF],
    fields: { model: 'openai/fake', finish_reason: 'stop', usage: USAGE },
    adds: [{ type: 'STEP_FINISHED', stepName: 'turn 1' }],
  },
  TOOL_CALL: {
    before: [HALF],
    fields: CALL,
    adds: [
      {
        ...{ type: 'TOOL_CALL_START', toolCallId: 'call_1', toolCallName: 'bash' },
        parentMessageId: 'int_1.1b0',
      },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'call_1', delta: '{"command":"ls"}' },
      { type: 'TOOL_CALL_END', toolCallId: 'call_1' },
    ],
  },
  TOOL_STARTED: { fields: { id: 'call_1', tool_name: 'bash' }, adds: [] },
  TOOL_RESULT: {
    before: [CALLED],
    fields: { id: 'call_1', tool_name: 'bash', tool_output: 'No.', is_error: true },
    adds: [
      {
        ...{ type: 'TOOL_CALL_RESULT', messageId: 'int_1.call_1.result', toolCallId: 'call_1' },
        ...{ content: 'No.', role: 'tool', metadata: { parley: { is_error: true } } },
      },
    ],
  },
  APPROVAL_REQUIRED: {
    before: [CALLED],
    fields: ASKED,
    adds: [
      { type: 'STEP_FINISHED', stepName: 'turn 1' },
      {
        type: 'MESSAGES_SNAPSHOT',
        messages: [
          USER,
          {
            ...SAID,
            toolCalls: [
              {
                ...{ id: 'call_1', type: 'function' },
                function: { name: 'bash', arguments: '{"command":"ls"}' },
              },
            ],
          },
        ],
      },
      {
        ...{ type: 'RUN_FINISHED', ...ENDED, metadata: { parley: { seq: 9, status: 'WAITING' } } },
        outcome: {
          type: 'interrupt',
          interrupts: [
            expect.objectContaining({
              ...{ id: 'approval_1', reason: 'tool_call', toolCallId: 'call_1' },
              message: 'Run ls',
            }),
          ],
        },
      },
    ],
  },
  APPROVED: {
    before: [CALLED, REQUIRED],
    fields: { ...VERDICT, modified_input: { command: 'ls -a' } },
    adds: [
      { type: 'CUSTOM', name: 'parley:decision', value: { ...DECIDED, approved: true } },
      {
        type: 'MESSAGES_SNAPSHOT',
        messages: [
          USER,
          {
            ...SAID,
            toolCalls: [
              {
                ...{ id: 'call_1', type: 'function' },
                function: { name: 'bash', arguments: '{"command":"ls -a"}' },
              },
            ],
          },
        ],
      },
    ],
  },
  REJECTED: {
    before: [CALLED, REQUIRED],
    fields: { ...VERDICT, reason: 'No.' },
    adds: [
      {
        ...{ type: 'CUSTOM', name: 'parley:decision' },
        value: { ...DECIDED, approved: false, reason: 'No.' },
      },
    ],
  },
  INPUT_REQUIRED: {
    fields: QUESTION,
    adds: [
      { type: 'MESSAGES_SNAPSHOT', messages: [USER] },
      {
        ...{ type: 'RUN_FINISHED', ...ENDED, metadata: { parley: { seq: 9, status: 'WAITING' } } },
        outcome: {
          type: 'interrupt',
          interrupts: [expect.objectContaining({ id: 'input_1', reason: 'input_required' })],
        },
      },
    ],
  },
  INPUT_RECEIVED: {
    before: [make('INPUT_REQUIRED', QUESTION)],
    fields: { request_id: 'input_1', answer: 'a', by: BY },
    adds: [
      {
        ...{ type: 'CUSTOM', name: 'parley:answer' },
        value: { request_id: 'input_1', answer: 'a', by: BY },
      },
    ],
  },
  TOOL_RESULT_REQUIRED: {
    before: [CALLED],
    fields: { request_id: 'input_2', tool_call_id: 'call_1', tool_name: 'bash' },
    adds: [
      { type: 'STEP_FINISHED', stepName: 'turn 1' },
      {
        ...{ type: 'RUN_FINISHED', ...ENDED, metadata: { parley: { seq: 9, status: 'WAITING' } } },
        outcome: { type: 'success', pendingToolCallIds: ['call_1'] },
      },
    ],
  },
  STEP_COMPLETED: {
    fields: { name: 'now' },
    adds: [
      { type: 'STEP_STARTED', stepName: 'now' },
      { type: 'STEP_FINISHED', stepName: 'now' },
    ],
  },
  CUSTOM: {
    fields: { name: 'progress', data: { done: 3 } },
    adds: [{ type: 'CUSTOM', name: 'progress', value: { done: 3 } }],
  },
  METADATA_SET: {
    before: [make('METADATA_SET', { key: 'ticket', value: 'T-17' })],
    fields: { key: 'a/b~c', value: 1 },
    adds: [{ type: 'STATE_DELTA', delta: [{ op: 'add', path: '/metadata/a~1b~0c', value: 1 }] }],
  },
  TASK_UPDATED: {
    fields: { task: { id: 'task_1', title: 'Test' } },
    adds: [
      {
        type: 'STATE_SNAPSHOT',
        snapshot: { page: 1, tasks: { task_1: { id: 'task_1', title: 'Test' } }, metadata: {} },
      },
    ],
  },
  AGENT_STARTED: {
    fields: { ...CHILD, tool_call_id: 'call_1' },
    adds: [
      {
        ...{ type: 'SUBAGENT_STARTED', subagentRunId: 'agent_2', name: 'coder' },
        ...{ description: 'Go.', parentToolCallId: 'call_1' },
      },
    ],
  },
  AGENT_COMPLETED: {
    before: [make('AGENT_STARTED', CHILD), { ...HALF, agent_id: 'agent_2' }],
    fields: { agent_id: 'agent_2', status: 'error', result: 'Lost.' },
    adds: [
      { type: 'TEXT_MESSAGE_END', messageId: 'int_1.1b0', subagentRunId: 'agent_2' },
      { type: 'STEP_FINISHED', stepName: 'turn 1', subagentRunId: 'agent_2' },
      { type: 'SUBAGENT_ERROR', subagentRunId: 'agent_2', message: 'Lost.', code: 'error' },
      { type: 'MESSAGES_SNAPSHOT', messages: [USER] },
    ],
  },
  AGENT_INTERVENED: {
    fields: { intervention_id: 'i_1', by: BY, user_comment: 'Faster.' },
    adds: [
      {
        ...{ type: 'CUSTOM', name: 'parley:intervention' },
        value: { intervention_id: 'i_1', by: BY, user_comment: 'Faster.' },
      },
    ],
  },
  AGENT_TOLD: { fields: { note_id: 'note_1', to_agent_id: 'agent_2', text: 'x' }, adds: [] },
  NOTE_READ: { fields: { note_id: 'note_1', from_agent_id: 'agent_2', text: 'x' }, adds: [] },
  NOTICE: {
    before: [HALF],
    fields: { code: 'model_retry', message: 'Again.', void: ['1b0'] },
    adds: [
      { type: 'TEXT_MESSAGE_END', messageId: 'int_1.1b0' },
      {
        ...{ type: 'CUSTOM', name: 'parley:notice' },
        value: { code: 'model_retry', message: 'Again.' },
      },
      { type: 'MESSAGES_SNAPSHOT', messages: [USER] },
    ],
  },
  RESUMED: {
    before: [HALF],
    fields: { attempt: 1, reason: 'The server stopped.' },
    adds: [
      { type: 'TEXT_MESSAGE_END', messageId: 'int_1.1b0' },
      { type: 'STEP_FINISHED', stepName: 'turn 1' },
      {
        ...{ type: 'CUSTOM', name: 'parley:notice' },
        value: { code: 'resumed', message: 'The server stopped.' },
      },
      { type: 'MESSAGES_SNAPSHOT', messages: [USER] },
    ],
  },
  CANCELLED: { fields: { reason: 'Enough.', by: BY, stopped: [] }, adds: [] },
  ERROR: { fields: { code: 'model_refused', message: 'It refused.' }, adds: [] },
  INTERACTION_COMPLETE: {
    before: [make('CANCELLED', { reason: 'Enough.', by: BY, stopped: [] })],
    fields: { status: 'CANCELLED' },
    adds: [
      {
        ...{ type: 'RUN_FINISHED', ...ENDED, outcome: { type: 'cancelled' } },
        metadata: { parley: { seq: 9, status: 'CANCELLED', reason: 'Enough.' } },
      },
    ],
  },
};

function make(type: Type, fields: Fields = {}): StreamEvent {
  const isRecord = !type.endsWith('_DELTA') && type !== 'TRACE';
  const numbered = isRecord && { seq: 5, at: '2026-01-15T10:00:00.000Z' };
  const origin = { interaction_id: 'int_1', agent_id: 'agent_1' };
  return { type, ...origin, ...numbered, ...fields } as unknown as StreamEvent;
}

const STARTED = make('INTERACTION_STARTED', { seq: 1 });

function project(events: readonly StreamEvent[], options: Partial<RunOptions> = {}): Frame[] {
  const projection = new RunProjection({
    ...{ threadId: 'thread', runId: 'run', version: '1.0', interaction_id: 'int_1' },
    ...{ root: 'agent_1', after: 0, last: 0, isRepeated: false, messages: [USER] },
    ...{ state: { page: 1 }, client_tools: new Set<string>(), isOpen: () => true },
    ...options,
  });
  const frames = events.flatMap((event) => projection.take({ event, cursor: '' }));
  return frames.map(({ data }) => JSON.parse(data) as Frame);
}

const settled = { isOpen: () => false };

describe(RunProjection.name, () => {
  it('has a row for each type of event', () => {
    expect(Object.keys(TABLE).sort()).toEqual([...eventSchemas().keys()].sort());
  });

  it.each(Object.entries(TABLE))('projects %s', (type, { before = [], fields, adds }) => {
    const event = make(type as Type, { ...fields, ...('seq' in make(type as Type) && { seq: 9 }) });
    const options = /REQUIRED/.test(type) ? {} : settled;
    const past = type === 'INTERACTION_STARTED' ? [] : [STARTED, ...before];
    const known = project(past, options).length;
    expect(project([...past, event], options).slice(known)).toEqual(adds);
  });

  it('tells older clients of a cancel as an error, and names them no pending calls', () => {
    const end = make('INTERACTION_COMPLETE', { status: 'CANCELLED' });
    const [error] = project([STARTED, end], { version: '0.0' });
    expect(error).toMatchObject({ type: 'RUN_ERROR', code: 'cancelled' });
    const required = make('TOOL_RESULT_REQUIRED', { request_id: 'r', tool_call_id: 'call_1' });
    const last = project([STARTED, CALLED, required], { version: '0.0' }).at(-1);
    expect(last).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    expect(last!['outcome']).toEqual({ type: 'success' });
  });

  it('sends one snapshot for all changes that a client has to catch up with', () => {
    const approved = make('APPROVED', { ...VERDICT, seq: 6, modified_input: { a: 1 } });
    const again = make('APPROVED', { ...VERDICT, seq: 7, modified_input: { a: 2 } });
    const events = [STARTED, CALLED, approved, again, make('TOOL_STARTED', { seq: 8 })];
    const snapshots = project(events, { ...settled, last: 8 }).filter(
      ({ type }) => type === 'MESSAGES_SNAPSHOT',
    );
    expect(JSON.stringify(snapshots)).toContain('{\\"a\\":2}');
    expect(snapshots).toHaveLength(1);
  });

  it('leaves out snapshots of conversations that are too long', () => {
    const long = { ...USER, content: 'x'.repeat(600_000) };
    const types = project([STARTED, make('INPUT_REQUIRED', QUESTION)], { messages: [long] });
    expect(types.map(({ type }) => type)).toEqual(['RUN_FINISHED']);
  });
});
