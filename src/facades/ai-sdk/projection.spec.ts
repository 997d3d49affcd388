import { eventSchemas } from '../../protocol/event-schemas.js';
import type { StreamEvent } from '../../event-log/follow/stream-event.js';
import { UiMessageProjection } from './projection.js';
import type { ProjectionOptions } from './projection.js';
import type { UiChunk } from './ui-chunk.js';

type Type = StreamEvent['type'];
type Fields = Readonly<Record<string, unknown>>;

const ORIGIN = { interaction_id: 'int_1', agent_id: 'agent_1' };
const CALL = { id: 'call_1', block_id: '1b2', tool_name: 'bash', tool_input: '{"command":"ls"}' };
const ASKED = {
  ...{ approval_id: 'approval_1', tool_call_id: 'call_1', tool_name: 'bash' },
  ...{ tool_input: '{"command":"ls"}', action: 'Run ls', category: 'execute', risk: 'low' },
  ...{ reason: 'No rule allows it.', expires_at: null },
};
const QUESTION = {
  request_id: 'input_1',
  question: 'Which?',
  options: ['a', 'b'],
  expires_at: null,
};
const CHILD = {
  agent_id: 'agent_2',
  parent_agent_id: 'agent_1',
  agent_type: 'coder',
  prompt: 'Go.',
};
const NONE = { input_tokens: 0, output_tokens: 0 };
const USAGE = { input_tokens: 3, output_tokens: 2 };
const TURN = { model: 'demo/script', finish_reason: 'stop', usage: USAGE, duration_ms: 1 };
const BY = { kind: 'user', user_id: 'ann' };
const VERDICT = { approval_id: 'approval_1', tool_call_id: 'call_1', by: BY };
const RESULT = {
  id: 'call_1',
  tool_name: 'bash',
  tool_output: 'a.txt',
  is_error: false,
  duration_ms: 1,
};

const PART = {
  ...{ type: 'tool-input-available', toolCallId: 'call_1', toolName: 'bash' },
  ...{ input: { command: 'ls' }, providerExecuted: true },
};
const DESCRIPTOR = {
  ...{ action: 'Run ls', category: 'execute', risk: 'low' },
  ...{ reason: 'No rule allows it.', expires_at: null },
};
const REQUEST = { type: 'tool-approval-request', approvalId: 'approval_1', toolCallId: 'call_1' };

/** What an event of each type adds to the message, after others where it needs some. */
const TABLE: Readonly<
  Record<
    Type,
    { readonly before?: readonly StreamEvent[]; readonly fields: Fields; readonly adds: unknown }
  >
> = {
  INTERACTION_STARTED: {
    fields: {
      chat_id: 'chat_1',
      user_message: 'Hi',
      agent: 'react',
      model: 'demo/script',
      parent_id: null,
    },
    adds: [
      {
        ...{ type: 'start', messageId: 'int_1' },
        messageMetadata: {
          parley: {
            interaction_id: 'int_1',
            chat_id: 'chat_1',
            agent: 'react',
            model: 'demo/script',
          },
        },
      },
    ],
  },
  TEXT_DELTA: {
    fields: { block_id: '1b0', offset: 0, delta: 'Hel' },
    adds: [
      { type: 'start-step' },
      { type: 'text-start', id: '1b0' },
      { type: 'text-delta', id: '1b0', delta: 'Hel' },
    ],
  },
  THINKING_DELTA: {
    fields: { block_id: '1b0', offset: 0, delta: 'Hm' },
    adds: [
      { type: 'start-step' },
      { type: 'reasoning-start', id: '1b0' },
      { type: 'reasoning-delta', id: '1b0', delta: 'Hm' },
    ],
  },
  TOOL_INPUT_DELTA: {
    fields: { block_id: '1b2', offset: 0, delta: '{', tool_call_id: 'call_1' },
    adds: [],
  },
  TOOL_OUTPUT_DELTA: {
    fields: { block_id: '1b3', offset: 0, delta: 'a.', tool_call_id: 'call_1' },
    adds: [
      {
        ...{ type: 'data-tool-output', transient: true },
        data: { tool_call_id: 'call_1', offset: 0, delta: 'a.' },
      },
    ],
  },
  TRACE: { fields: { name: 'x', detail: 1 }, adds: [] },
  THINKING: {
    before: [make('THINKING_DELTA', { block_id: '1b0', offset: 0, delta: 'Hm' })],
    fields: { block_id: '1b0', content: 'Hm' },
    adds: [{ type: 'reasoning-end', id: '1b0' }],
  },
  MESSAGE: {
    before: [make('TEXT_DELTA', { block_id: '1b0', offset: 0, delta: 'I look.' })],
    fields: { block_id: '1b0', content: 'I look.' },
    adds: [{ type: 'text-end', id: '1b0' }],
  },
  ANSWER: {
    fields: { block_id: '1b0', content: 'Done.' },
    adds: [
      { type: 'start-step' },
      { type: 'text-start', id: '1b0' },
      { type: 'text-delta', id: '1b0', delta: 'Done.' },
      { type: 'text-end', id: '1b0' },
    ],
  },
  TURN_COMPLETED: { fields: TURN, adds: [] },
  TOOL_CALL: { fields: CALL, adds: [{ type: 'start-step' }, PART] },
  TOOL_STARTED: { fields: { id: 'call_1', tool_name: 'bash' }, adds: [] },
  TOOL_RESULT: {
    before: [make('TOOL_CALL', CALL)],
    fields: RESULT,
    adds: [{ type: 'tool-output-available', toolCallId: 'call_1', output: 'a.txt' }],
  },
  APPROVAL_REQUIRED: {
    before: [make('TOOL_CALL', CALL)],
    fields: ASKED,
    adds: [
      { ...REQUEST, approvalDescriptor: DESCRIPTOR, reason: 'No rule allows it.' },
      { type: 'finish-step' },
      finish('tool-calls', 'WAITING'),
    ],
  },
  APPROVED: {
    before: [make('TOOL_CALL', CALL), make('APPROVAL_REQUIRED', ASKED)],
    fields: { ...VERDICT, modified_input: { command: 'ls -a' } },
    adds: [
      { ...PART, input: { command: 'ls -a' } },
      { type: 'tool-approval-response', approvalId: 'approval_1', approved: true },
    ],
  },
  REJECTED: {
    before: [make('TOOL_CALL', CALL), make('APPROVAL_REQUIRED', ASKED)],
    fields: { ...VERDICT, by: { kind: 'system' }, cause: 'timeout' },
    adds: [
      {
        ...{ ...REQUEST, approvalDescriptor: DESCRIPTOR },
        ...{ reason: 'No rule allows it.', isAutomatic: true },
      },
      {
        ...{ type: 'tool-approval-response', approvalId: 'approval_1' },
        ...{ approved: false, reason: 'timeout' },
      },
    ],
  },
  INPUT_REQUIRED: {
    fields: QUESTION,
    adds: [
      {
        ...{ type: 'tool-input-available', toolCallId: 'input_1', toolName: 'ask_human' },
        input: { question: 'Which?', options: ['a', 'b'] },
      },
      finish('tool-calls', 'WAITING'),
    ],
  },
  INPUT_RECEIVED: {
    before: [make('INPUT_REQUIRED', QUESTION)],
    fields: { request_id: 'input_1', answer: 'a', by: BY },
    adds: [{ type: 'tool-output-available', toolCallId: 'input_1', output: 'a' }],
  },
  TOOL_RESULT_REQUIRED: {
    before: [make('TOOL_CALL', { ...CALL, tool_name: 'open_door' })],
    fields: {
      request_id: 'input_2',
      tool_call_id: 'call_1',
      tool_name: 'open_door',
      tool_input: '{}',
    },
    adds: [{ type: 'finish-step' }, finish('tool-calls', 'WAITING')],
  },
  STEP_COMPLETED: { fields: { name: 'now' }, adds: [] },
  CUSTOM: {
    fields: { name: 'progress', data: { done: 3 } },
    adds: [
      {
        type: 'data-custom',
        data: { name: 'progress', data: { done: 3 }, agent_id: 'agent_1' },
      },
    ],
  },
  METADATA_SET: {
    fields: { key: 'ticket', value: 'T-17' },
    adds: [
      { type: 'message-metadata', messageMetadata: { parley: { metadata: { ticket: 'T-17' } } } },
    ],
  },
  TASK_UPDATED: {
    fields: { task: { id: 'task_1', title: 'Test' } },
    adds: [
      { type: 'data-task', id: 'task_1', data: { id: 'task_1', title: 'Test', deleted: false } },
    ],
  },
  AGENT_STARTED: {
    fields: CHILD,
    adds: [{ type: 'data-agent', id: 'agent_2', data: { ...CHILD, status: 'running' } }],
  },
  AGENT_COMPLETED: {
    before: [make('AGENT_STARTED', CHILD)],
    fields: { agent_id: 'agent_2', status: 'completed', result: 'Found.' },
    adds: [
      {
        ...{ type: 'data-agent', id: 'agent_2' },
        data: { ...CHILD, status: 'completed', result: 'Found.' },
      },
    ],
  },
  AGENT_INTERVENED: {
    fields: { intervention_id: 'intervention_1', by: BY, user_comment: 'Faster.' },
    adds: [
      {
        ...{ type: 'data-intervention', id: 'intervention_1' },
        data: {
          ...{ intervention_id: 'intervention_1', agent_id: 'agent_1', by: BY },
          user_comment: 'Faster.',
        },
      },
    ],
  },
  AGENT_TOLD: { fields: { note_id: 'note_1', to_agent_id: 'agent_2', text: 'x' }, adds: [] },
  NOTE_READ: { fields: { note_id: 'note_1', from_agent_id: 'agent_2', text: 'x' }, adds: [] },
  NOTICE: {
    before: [make('TEXT_DELTA', { block_id: '1b0', offset: 0, delta: 'Half' })],
    fields: { code: 'model_retry', message: 'Again.', void: ['1b0'] },
    adds: [
      { type: 'reset-step' },
      { type: 'data-notice', transient: true, data: { code: 'model_retry', message: 'Again.' } },
    ],
  },
  RESUMED: {
    before: [make('THINKING_DELTA', { block_id: '1b0', offset: 0, delta: 'Half' })],
    fields: { attempt: 1, reason: 'The server stopped.' },
    adds: [
      { type: 'reset-step' },
      {
        ...{ type: 'data-notice', transient: true },
        data: { code: 'resumed', message: 'The server stopped.' },
      },
    ],
  },
  CANCELLED: { fields: { reason: 'Cancelled by the user.', by: BY, stopped: [] }, adds: [] },
  ERROR: { fields: { code: 'model_refused', message: 'It refused.' }, adds: [] },
  INTERACTION_COMPLETE: {
    before: [make('TEXT_DELTA', { block_id: '1b0', offset: 0, delta: 'Hi' })],
    fields: { status: 'COMPLETED' },
    adds: [{ type: 'finish-step' }, finish('stop', 'COMPLETED')],
  },
};

function finish(finishReason: string, status: string): object {
  return {
    type: 'finish',
    finishReason,
    messageMetadata: { parley: { seq: 9, status, usage: NONE } },
  };
}

const STARTED = make('INTERACTION_STARTED', { ...TABLE.INTERACTION_STARTED.fields, seq: 1 });

function make(type: Type, fields: Fields = {}): StreamEvent {
  const isRecord = !type.endsWith('_DELTA') && type !== 'TRACE';
  const numbered = isRecord && { seq: 5, at: '2026-01-15T10:00:00.000Z' };
  return { type, ...ORIGIN, ...numbered, ...fields } as unknown as StreamEvent;
}

function project(
  events: readonly StreamEvent[],
  options: Partial<ProjectionOptions> = {},
): UiChunk[] {
  const projection = new UiMessageProjection({
    ...{ version: 7, client_tools: new Set<string>(), after: 0, isOpen: () => true },
    ...options,
  });
  return events.flatMap((event) => projection.take(event));
}

/** Frames after those of the events before. */
function added(
  before: readonly StreamEvent[],
  event: StreamEvent,
  options: Partial<ProjectionOptions> = {},
): UiChunk[] {
  return project([...before, event], options).slice(project(before, options).length);
}

const unasked = { isOpen: () => false };

describe(UiMessageProjection.name, () => {
  it('has a row for each type of event', () => {
    expect(Object.keys(TABLE).sort()).toEqual([...eventSchemas().keys()].sort());
  });

  it.each(Object.entries(TABLE))('projects %s', (type, { before = [], fields, adds }) => {
    const event = make(type as Type, { ...fields, ...('seq' in make(type as Type) && { seq: 9 }) });
    const past = type === 'INTERACTION_STARTED' ? [] : [STARTED, ...before];
    const asks = /REQUIRED/.test(type);
    const options = { ...(!asks && unasked), client_tools: new Set(['open_door']) };
    expect(JSON.parse(JSON.stringify(added(past, event, options)))).toEqual(adds);
  });

  it('sends clients only what their version knows', () => {
    const events = [STARTED, make('TOOL_CALL', CALL), make('APPROVAL_REQUIRED', ASKED)];
    const rejected = make('REJECTED', { ...VERDICT, reason: 'No.' });
    const result = make('TOOL_RESULT', {
      ...RESULT,
      is_error: true,
      tool_output: 'It did not run.',
    });
    const of = (version: 5 | 6 | 7): UiChunk[] => {
      return project([...events, rejected, result], { ...unasked, version }).slice(3);
    };
    expect(of(5)).toMatchObject([
      { type: 'data-approval', id: 'approval_1', data: { approved: null, tool_call_id: 'call_1' } },
      {
        type: 'data-approval',
        id: 'approval_1',
        data: { approved: false, decision_reason: 'No.' },
      },
      { type: 'tool-output-error', toolCallId: 'call_1', errorText: 'It did not run.' },
    ]);
    expect(of(6)).toEqual([
      { ...REQUEST, approvalDescriptor: DESCRIPTOR },
      { type: 'tool-output-denied', toolCallId: 'call_1' },
    ]);
    expect(of(7)).toEqual([
      { ...REQUEST, approvalDescriptor: DESCRIPTOR, reason: 'No rule allows it.' },
      { type: 'tool-approval-response', approvalId: 'approval_1', approved: false, reason: 'No.' },
      { type: 'tool-output-denied', toolCallId: 'call_1' },
    ]);
  });

  it('keeps texts that a retry voids open where a step can’t be taken back', () => {
    const half = make('TEXT_DELTA', { block_id: '1b0', offset: 0, delta: 'Half' });
    const voids = make('NOTICE', { code: 'model_retry', message: 'Again.', void: ['1b0'] });
    const types = (chunks: readonly UiChunk[]): string[] => chunks.map(({ type }) => type);
    expect(types(added([STARTED, half], voids, { version: 6 }))).toEqual(['data-notice']);
    const call = make('TOOL_CALL', CALL);
    expect(types(added([STARTED, call, half], voids))).toEqual(['data-notice']);
  });

  it('begins a step with each turn of the root', () => {
    const turn = make('TURN_COMPLETED', { ...TURN, finish_reason: 'tool_calls' });
    const answer = make('ANSWER', { block_id: '1b4', content: 'Done.' });
    const events = [STARTED, make('TOOL_CALL', CALL), turn, make('TOOL_RESULT', RESULT), answer];
    const types = project(events).map(({ type }) => type);
    expect(types).toEqual([
      ...['start', 'start-step', 'tool-input-available', 'tool-output-available', 'finish-step'],
      ...['start-step', 'text-start', 'text-delta', 'text-end'],
    ]);
  });

  it('keeps texts and thoughts of children out of the text', () => {
    const child = { agent_id: 'agent_2' };
    const started = make('AGENT_STARTED', CHILD);
    const events = [
      make('TEXT_DELTA', { ...child, block_id: '1b0', offset: 0, delta: 'I dig.' }),
      make('MESSAGE', { ...child, block_id: '1b0', content: 'I dig.' }),
      make('THINKING', { ...child, block_id: '1b1', content: 'Hm.' }),
      make('TOOL_CALL', { ...child, ...CALL }),
    ];
    expect(project([STARTED, started, ...events]).slice(2)).toEqual([
      { type: 'data-agent', id: 'agent_2', data: { ...CHILD, status: 'running', text: 'I dig.' } },
      { type: 'start-step' },
      { ...PART, providerMetadata: { parley: { agent_id: 'agent_2' } } },
    ]);
  });

  it('ends only when all that goes on waits', () => {
    const [first, second] = [make('TOOL_CALL', CALL), make('TOOL_CALL', { ...CALL, id: 'call_2' })];
    const asked = make('APPROVAL_REQUIRED', ASKED);
    const types = (events: readonly StreamEvent[]): string[] =>
      project(events).map(({ type }) => type);
    expect(types([STARTED, first, second, asked])).not.toContain('finish');
    const done = make('TOOL_RESULT', { ...RESULT, id: 'call_2' });
    expect(types([STARTED, first, second, asked, done]).at(-1)).toBe('finish');
  });

  it('ends with a child that waits in the tool that started it', () => {
    const started = make('AGENT_STARTED', { ...CHILD, tool_call_id: 'call_1' });
    const call = make('TOOL_CALL', { ...CALL, agent_id: 'agent_2', id: 'call_2' });
    const asked = make('APPROVAL_REQUIRED', {
      ...ASKED,
      agent_id: 'agent_2',
      tool_call_id: 'call_2',
    });
    const chunks = project([STARTED, make('TOOL_CALL', CALL), started, call, asked]);
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'tool-calls' });
  });

  it('does not end at a request that was settled since', () => {
    const events = [STARTED, make('TOOL_CALL', CALL), make('APPROVAL_REQUIRED', ASKED)];
    expect(project(events, unasked).at(-1)).toMatchObject({ type: 'tool-approval-request' });
  });

  it('continues a message after the record that the client has', () => {
    const call = make('TOOL_CALL', { ...CALL, seq: 2 });
    const asked = make('APPROVAL_REQUIRED', { ...ASKED, seq: 3 });
    const events = [STARTED, call, asked, make('TOOL_RESULT', { ...RESULT, seq: 5 })];
    const answer = make('ANSWER', { block_id: '1b4', content: 'Done.', seq: 6 });
    const approved = make('APPROVED', { ...VERDICT, seq: 4 });
    events.splice(3, 0, approved);
    const chunks = project([...events, answer], { ...unasked, version: 6, after: 3 });
    expect(chunks.map(({ type }) => type)).toEqual([
      ...['start', 'tool-output-available'],
      ...['start-step', 'text-start', 'text-delta', 'text-end'],
    ]);
  });

  it('shows a deferred call as waiting until its outcome is known', () => {
    const call = [STARTED, make('TOOL_CALL', CALL), make('APPROVAL_REQUIRED', ASKED)];
    const deferred = make('TOOL_RESULT', { ...RESULT, tool_output: 'Waiting for approval' });
    expect(added(call, deferred, unasked)).toEqual([]);
    const message = 'The call call_1 of bash, which waited for approval, is settled:\na.txt';
    const settled = make('NOTICE', { code: 'deferred_call_settled', message });
    const past = [...call, deferred, make('APPROVED', VERDICT)];
    expect(added(past, settled, unasked)).toContainEqual({
      ...{ type: 'tool-output-available', toolCallId: 'call_1', output: message },
    });
  });

  it('says why an interaction failed at its end only, as clients read no further', () => {
    const failed = make('ERROR', { code: 'model_refused', message: 'It refused.' });
    const end = make('INTERACTION_COMPLETE', { status: 'FAILED' });
    const types = project([STARTED, failed, end]).map(({ type }) => type);
    expect(types).toEqual(['start', 'message-metadata', 'error', 'finish']);
    expect(project([STARTED, failed, end])).toContainEqual({
      type: 'error',
      errorText: 'It refused.',
    });
  });

  it('tells of a cancel and of an answer that was cut', () => {
    const cancelled = make('CANCELLED', { reason: 'Enough.', by: BY, stopped: [] });
    const end = make('INTERACTION_COMPLETE', { status: 'CANCELLED' });
    expect(project([STARTED, cancelled, end]).slice(1)).toMatchObject([
      { type: 'abort', reason: 'Enough.' },
      { type: 'finish', finishReason: 'interrupted' },
    ]);
    expect(project([STARTED, cancelled, end], { version: 5 }).slice(1)).toMatchObject([
      { type: 'abort' },
      { type: 'finish', finishReason: 'other' },
    ]);
    const cut = make('ANSWER', { block_id: '1b4', content: 'Do', finish_reason: 'length' });
    const done = make('INTERACTION_COMPLETE', { status: 'COMPLETED' });
    expect(project([STARTED, cut, done]).at(-1)).toMatchObject({ finishReason: 'length' });
  });

  it('shows arguments that are not JSON as an error', () => {
    const call = make('TOOL_CALL', { ...CALL, tool_input: '{"a":' });
    expect(project([STARTED, call]).at(-1)).toMatchObject({
      ...{ type: 'tool-input-error', input: '{"a":', errorText: expect.stringContaining('JSON') },
    });
  });
});
