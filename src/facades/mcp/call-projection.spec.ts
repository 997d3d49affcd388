import type { StreamEvent } from '../../event-log/follow/stream-event.js';
import { AppError } from '../../kernel/app-error.js';
import { eventSchemas } from '../../protocol/event-schemas.js';
import { CallProjection } from './call-projection.js';
import type { Asking } from './call-state.js';

type Type = StreamEvent['type'];

/** Of the documentation, as of the root agent. */
const EXAMPLES = new Map(
  [...eventSchemas().values()].map((schema) => {
    const example = schema.meta()!['example'] as StreamEvent;
    return [example.type, { ...example, agent_id: 'agent_1' }] as const;
  }),
);
const event = (type: Type, fields: object = {}): StreamEvent => ({
  ...EXAMPLES.get(type)!,
  ...fields,
});

/** The line of progress that an event of each type adds; null: none. */
const LINES: Readonly<Record<Type, string | null>> = {
  INTERACTION_STARTED: 'react has begun',
  THINKING: null,
  MESSAGE: 'I will calculate that.',
  ANSWER: null,
  TOOL_CALL: 'calculator {"expression":"6*7"}',
  APPROVAL_REQUIRED: 'Waits for approval: Run npm test',
  APPROVED: 'Approved',
  REJECTED: 'Rejected',
  TOOL_STARTED: null,
  TOOL_RESULT: 'calculator is done',
  INPUT_REQUIRED: 'Waits for an answer: Which city?',
  INPUT_RECEIVED: 'Answered',
  TOOL_RESULT_REQUIRED: 'Waits for the result of open_page',
  TURN_COMPLETED: null,
  STEP_COMPLETED: 'now',
  CUSTOM: null,
  METADATA_SET: null,
  AGENT_STARTED: 'react has begun: Find the failing test.',
  AGENT_COMPLETED: 'A child agent is done: completed',
  AGENT_INTERVENED: null,
  AGENT_TOLD: null,
  NOTE_READ: null,
  TASK_UPDATED: 'Task: Write the tests',
  NOTICE: 'demo/script did not answer in time. Trying again in 1 s.',
  RESUMED: 'The work goes on after an interruption',
  CANCELLED: null,
  ERROR: null,
  INTERACTION_COMPLETE: null,
  TEXT_DELTA: null,
  THINKING_DELTA: null,
  TOOL_INPUT_DELTA: null,
  TOOL_OUTPUT_DELTA: null,
  TRACE: null,
};

const CREATED = '2026-01-01T00:00:00.000Z';

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly message?: string; readonly progress?: number };
  readonly result?: object;
}

function play(events: readonly StreamEvent[], asking: Asking = 'never', settled = 0) {
  const projection = new CallProjection({
    row: { id: 'int_1', chat_id: 'chat_1', agent_id: 'agent_1', created_at: CREATED },
    call: { id: 1, progress: 'p', asking },
    after: 0,
    isOpen: ({ seq }) => seq > settled,
    stateAfter: (seq) => `state ${seq}`,
  });
  const frames = events.flatMap((each) => projection.take({ cursor: '', event: each }));
  return { projection, messages: frames.map(({ data }) => JSON.parse(data) as Message) };
}

const STARTED = event('INTERACTION_STARTED', { seq: 1 });
const ASKED = event('APPROVAL_REQUIRED', { seq: 3, approval_id: 'approval_1', tool_call_id: 'c' });
const CALL = event('TOOL_CALL', { seq: 2, id: 'c' });
const end = (status: string): StreamEvent => event('INTERACTION_COMPLETE', { seq: 9, status });

describe(CallProjection.name, () => {
  it.each(Object.keys(LINES) as Type[])('tells the progress of %s', (type) => {
    const { messages } = play([event(type)]);
    const lines = messages.flatMap(({ params }) => params?.message ?? []);
    const expected = LINES[type];
    expect(lines).toEqual(expected === null ? [] : [expected]);
  });

  it('repeats its last line at heartbeats, with numbers between those of records', () => {
    const { projection, messages } = play([STARTED, CALL, ASKED]);
    const beats = [15, 30, 45, 86_400, 86_415].map((seconds) => {
      const frame = projection.beat(new Date(Date.parse(CREATED) + seconds * 1_000));
      return (JSON.parse(frame!.data) as Message).params!;
    });
    const line = 'Waits for approval: Run npm test';
    expect(new Set(beats.map(({ message }) => message))).toEqual(new Set([line]));
    const numbers = beats.map(({ progress }) => progress!);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect([messages.at(-1)!.params!.progress, numbers[0]! > 3, numbers.at(-1)! < 4]).toEqual([
      ...[3, true, true],
    ]);
    projection.take({ cursor: '', event: end('COMPLETED') });
    expect(projection.beat(new Date())).toBeUndefined();
  });

  it('has the answer of the root as its result', () => {
    const answer = event('ANSWER', { content: 'Yes.', seq: 5 });
    const ofChild = event('ANSWER', { content: 'No.', seq: 6, agent_id: 'agent_2' });
    const { messages, projection } = play([STARTED, answer, ofChild, end('COMPLETED')]);
    const result = {
      resultType: 'complete',
      content: [{ type: 'text', text: 'Yes.' }],
      structuredContent: { answer: 'Yes.', chat_id: 'chat_1', interaction_id: 'int_1' },
    };
    expect([messages.at(-1), projection.result]).toEqual([
      { jsonrpc: '2.0', id: 1, result },
      result,
    ]);
  });

  it.each([
    ['ERROR', 'FAILED', { code: 'too_much', message: 'Too much.' }, 'too_much', /Too much\./],
    ['CANCELLED', 'CANCELLED', { reason: 'Enough.' }, 'cancelled', /Enough\./],
  ] as const)('has an error as its result after %s', (type, status, fields, code, text) => {
    const { projection } = play([STARTED, event(type, { seq: 4, ...fields }), end(status)]);
    expect(projection.result).toMatchObject({
      ...{ isError: true, content: [{ text: expect.stringMatching(text) }] },
      _meta: { parley: { chat_id: 'chat_1', interaction_id: 'int_1', code } },
    });
  });

  it('has an error as its result if it can’t be read', () => {
    const { projection } = play([STARTED]);
    projection.fail(new AppError('internal', 'log_unreadable', 'It can’t be read.'));
    expect([projection.isDone, projection.result]).toEqual([
      true,
      expect.objectContaining({ isError: true }),
    ]);
  });

  it('sends a form while it runs, and closes it once it is settled', () => {
    const approved = event('APPROVED', { seq: 4, approval_id: 'approval_1' });
    const { messages } = play([STARTED, CALL, ASKED, approved], 'during');
    const id = 'int_1/approval_1';
    expect(messages.filter(({ method }) => method !== 'notifications/progress')).toMatchObject([
      {
        id,
        method: 'elicitation/create',
        params: { message: expect.stringContaining('npm test') },
      },
      { method: 'notifications/cancelled', params: { requestId: id } },
    ]);
  });

  it('ends with the forms that nothing goes on without', () => {
    const { projection } = play([STARTED, CALL, ASKED], 'in_results');
    expect(projection.result).toMatchObject({
      ...{ resultType: 'input_required', requestState: 'state 3' },
      inputRequests: { approval_1: { method: 'elicitation/create' } },
    });
    expect(play([STARTED, CALL, ASKED], 'in_results', 3).projection.isDone).toBe(false);
    expect(play([STARTED, CALL, ASKED], 'never').projection.isDone).toBe(false);
  });
});
