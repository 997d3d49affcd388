import type { LogRecord, RecordContent } from '../persistence/rows/log-record.js';
import type { EventError, RecordOf } from '../protocol/events.js';
import { Timeline } from './timeline.js';
import type { LogState } from './timeline.js';
import type { Span } from './span.js';

const ROOT = 'agent_1';
const CHILD = 'agent_2';
const BEGIN = Date.parse('2026-01-15T10:00:00.000Z');
const USAGE = { input_tokens: 20, output_tokens: 5 };

/** Of each record: the run, the second, the agent, the body. */
type Step = readonly [epoch: number, second: number, agent: string, body: RecordContent['body']];

const started: Step = [
  ...[1, 0, ROOT],
  {
    ...{ type: 'INTERACTION_STARTED', chat_id: 'chat_1', user_message: 'Hi.', agent: 'react' },
    ...{ model: 'demo/script', parent_id: null },
  },
] as const as unknown as Step;
const turn = (duration_ms: number, error?: EventError): RecordOf<'TURN_COMPLETED'> => ({
  type: 'TURN_COMPLETED',
  model: 'demo/script',
  finish_reason: error ? 'error' : 'tool_calls',
  usage: USAGE,
  duration_ms,
  ...(error && { error }),
});
const begins = (id: string) => ({ type: 'TOOL_STARTED', id, tool_name: 'bash' }) as const;
const returns = (id: string, ms: number, is_error = false): RecordOf<'TOOL_RESULT'> => ({
  ...{ type: 'TOOL_RESULT', id, tool_name: 'bash', tool_output: 'out', is_error, duration_ms: ms },
});
const asks: RecordOf<'APPROVAL_REQUIRED'> = {
  ...{ type: 'APPROVAL_REQUIRED', approval_id: 'approval_1', tool_call_id: 'call_1' },
  ...{ tool_name: 'bash', tool_input: '{}', action: 'Run', category: 'execute', risk: 'low' },
  ...{ reason: 'No rule.', expires_at: null },
};
const approved: RecordOf<'APPROVED'> = {
  ...{ type: 'APPROVED', approval_id: 'approval_1', tool_call_id: 'call_1' },
  by: { kind: 'user', user_id: 'ann' },
};
const resumed = { type: 'RESUMED', attempt: 1, reason: 'The server stopped.' } as const;
const ends = (status: 'COMPLETED' | 'FAILED' | 'CANCELLED') =>
  ({ type: 'INTERACTION_COMPLETE', status }) as const;
const forks: RecordOf<'AGENT_STARTED'> = {
  ...{ type: 'AGENT_STARTED', parent_agent_id: ROOT, agent_type: 'reader', prompt: 'Read.' },
};
const notice = { type: 'NOTICE', code: 'model_retry', message: 'Again.' } as const;

const at = (second: number): string => new Date(BEGIN + second * 1000).toISOString();
const toRecords = (steps: readonly Step[]): LogRecord[] =>
  steps.map(([epoch, second, agent_id, body], index) => ({
    ...{ interaction_id: 'int_1', seq: index + 1, epoch, agent_id, at: at(second) },
    ...({ key: `${index}`, body, hidden: null } as unknown as LogRecord),
  }));
const read = (steps: readonly Step[], withTexts = false): Timeline => {
  const timeline = new Timeline('int_1', withTexts);
  for (const record of toRecords(steps)) timeline.take(record);
  return timeline;
};
/** `<kind> <name> <from>-<to> <status>`, in seconds. */
const brief = ({ kind, name, started_at, ended_at, status }: Span): string => {
  const second = (time: string): string => `${(Date.parse(time) - BEGIN) / 1000}`;
  return `${kind} ${name} ${second(started_at)}-${ended_at ? second(ended_at) : ''} ${status}`;
};
const shown = (steps: readonly Step[], state: LogState): string[] =>
  read(steps).spans(state).map(brief);

describe(Timeline.name, () => {
  it('has turns, calls and the run that they belong to', () => {
    const steps: Step[] = [
      started,
      [1, 3, ROOT, turn(2000)],
      [1, 3, ROOT, begins('call_1')],
      [1, 7, ROOT, returns('call_1', 4000, true)],
      [1, 9, ROOT, turn(2000)],
      [1, 9, ROOT, ends('COMPLETED')],
    ];
    expect(shown(steps, 'ended')).toEqual([
      'interaction react 0-9 ok',
      'agent react 1-9 ok',
      'model demo/script 1-3 ok',
      'tool bash 3-7 error',
      'model demo/script 7-9 ok',
    ]);
    const [root, agent, model, tool] = read(steps).spans('ended');
    expect([root!.parent_id, agent!.parent_id, model!.parent_id, tool!.parent_id]).toEqual([
      null,
      root!.id,
      agent!.id,
      agent!.id,
    ]);
    expect(model).toMatchObject({ usage: USAGE, finish_reason: 'tool_calls', seq: 2 });
    expect(tool).toMatchObject({ tool_call_id: 'call_1', error: { code: 'tool_failed' } });
  });

  it('has a wait over runs, and one span of an agent for each run, which follow each other', () => {
    const steps: Step[] = [
      started,
      [1, 2, ROOT, turn(2000)],
      [1, 2, ROOT, asks],
      [4, 3600, ROOT, approved],
      [4, 3600, ROOT, begins('call_1')],
      [4, 3601, ROOT, returns('call_1', 1000)],
      [4, 3601, ROOT, ends('COMPLETED')],
    ];
    expect(shown(steps.slice(0, 3), 'parked')).toEqual([
      'interaction react 0- running',
      'agent react 0-2 ok',
      'model demo/script 0-2 ok',
      'wait approval 2- running',
    ]);
    expect(shown(steps, 'ended')).toEqual([
      'interaction react 0-3601 ok',
      'agent react 0-2 ok',
      'model demo/script 0-2 ok',
      'wait approval 2-3600 ok',
      'agent react 3600-3601 ok',
      'tool bash 3600-3601 ok',
    ]);
    const spans = read(steps).spans('ended');
    expect(spans[4]!.follows_id).toBe(spans[1]!.id);
    expect(spans[3]).toMatchObject({ outcome: 'approved', request_id: 'approval_1' });
  });

  it('has what a lost run has begun, and tells it with the next', () => {
    const steps: Step[] = [
      started,
      [1, 1, ROOT, turn(1000)],
      [1, 1, ROOT, begins('call_1')],
      [2, 60, ROOT, resumed],
      [2, 61, ROOT, begins('call_1')],
      [2, 62, ROOT, returns('call_1', 1000)],
      [2, 62, ROOT, ends('COMPLETED')],
    ];
    const timeline = read(steps);
    expect(timeline.spans('ended').map(brief)).toEqual([
      'interaction react 0-62 ok',
      'agent react 0-1 lost',
      'model demo/script 0-1 ok',
      'tool bash 1-1 lost',
      'agent react 60-62 ok',
      'tool bash 61-62 ok',
    ]);
    expect([timeline.untoldSince(1), timeline.untoldSince(2)]).toEqual([2, 2]);
    expect(timeline.spans('ended')[4]!.events).toEqual([
      { name: 'resumed', at: at(60), seq: 4, message: 'The server stopped.' },
    ]);
  });

  it('has child agents within their parents, as long as they do something', () => {
    const steps: Step[] = [
      started,
      [1, 1, ROOT, turn(1000)],
      [1, 1, CHILD, forks],
      [1, 2, CHILD, notice],
      [1, 5, CHILD, turn(3000, { code: 'model_failed', message: 'No.' })],
      [1, 5, CHILD, { type: 'AGENT_COMPLETED', status: 'error', result: 'No.' }],
    ];
    expect(shown(steps, 'running')).toEqual([
      'interaction react 0- running',
      'agent react 0- running',
      'model demo/script 0-1 ok',
      'agent reader 1-5 error',
      'model demo/script 2-5 error',
    ]);
    const [, parent, , child] = read(steps).spans('running');
    expect(child!.parent_id).toBe(parent!.id);
    expect(child!.events.map(({ name }) => name)).toEqual(['model_retry']);
  });

  it('closes what is open when the interaction is cancelled', () => {
    const steps: Step[] = [
      started,
      [1, 1, ROOT, begins('call_1')],
      [1, 1, ROOT, asks],
      [1, 2, ROOT, ends('CANCELLED')],
    ];
    expect(shown(steps, 'ended')).toEqual([
      'interaction react 0-2 cancelled',
      'agent react 1-2 cancelled',
      'tool bash 1-2 cancelled',
      'wait approval 1-2 cancelled',
    ]);
  });

  it('never goes back in time, where the clocks of servers differ', () => {
    const steps: Step[] = [started, [1, 10, ROOT, begins('a')], [1, 4, ROOT, returns('a', 1)]];
    expect(shown(steps, 'running')).toContain('tool bash 9.999-10 ok');
  });

  it('has texts only where it is told to', () => {
    const steps: Step[] = [
      started,
      [
        ...[1, 1, ROOT],
        { type: 'TOOL_CALL', id: 'a', block_id: '1', tool_name: 'bash', tool_input: '{}' },
      ] as unknown as Step,
      [1, 1, ROOT, begins('a')],
      [1, 2, ROOT, returns('a', 1000)],
      [1, 3, ROOT, { type: 'ANSWER', block_id: '2', content: 'Done.' }],
      [1, 3, ROOT, turn(1000)],
    ];
    const texts = (withTexts: boolean) =>
      read(steps, withTexts)
        .spans('running')
        .flatMap(({ input, output }) => [input, output].flatMap((text) => text ?? []));
    expect(texts(false)).toEqual([]);
    expect(texts(true)).toEqual(['Hi.', '{}', 'out', 'Done.']);
  });
});
