import { describe, expect, it } from '@jest/globals';
import type { RecordEvent } from 'parley/client';
import { rowsOf } from './rows';
import { Scale, scaleOf, union } from './scale';
import { timelineOf } from './spans';

let seq = 0;

/** @param at in seconds */
function record(at: number, type: string, more: object = {}, agent_id = 'a'): RecordEvent {
  const time = new Date(at * 1000).toISOString();
  const own = { interaction_id: 'int_1', agent_id, seq: ++seq, at: time, type };
  return { ...own, ...more } as unknown as RecordEvent;
}

function parked(hours: number): RecordEvent[] {
  seq = 0;
  const late = 6 + hours * 3600;
  return [
    record(0, 'INTERACTION_STARTED', { agent: 'react' }),
    record(3, 'TOOL_CALL', { id: 'c', tool_name: 'bash' }),
    record(4, 'TURN_COMPLETED', { duration_ms: 3000, usage: {} }),
    record(6, 'APPROVAL_REQUIRED', { approval_id: 'p', tool_call_id: 'c' }),
    record(late, 'APPROVED', { approval_id: 'p', tool_call_id: 'c' }),
    record(late, 'TOOL_STARTED', { id: 'c', tool_name: 'bash' }),
    record(late + 2, 'TOOL_RESULT', { id: 'c', tool_name: 'bash', is_error: true }),
    record(late + 3, 'INTERACTION_COMPLETE', { status: 'COMPLETED' }),
  ];
}

describe(timelineOf.name, () => {
  it('has turns, tools and waits with their times', () => {
    const { spans, begin, end, hasEnded } = timelineOf(parked(0));
    expect([begin, end, hasEnded]).toEqual([0, 9000, true]);
    expect(spans.map(({ kind, from, to, seq: at, isBad }) => [kind, from, to, at, isBad])).toEqual([
      ['turn', 1000, 4000, 3, false],
      ['wait', 6000, 6000, 5, false],
      ['tool', 6000, 8000, 7, true],
    ]);
  });

  it('leaves open what has not ended, and ends it with the interaction', () => {
    const records = parked(0);
    expect(timelineOf(records.slice(0, 6)).spans.at(-1)).toMatchObject({ kind: 'tool', to: null });
    expect(timelineOf(records.slice(0, 4)).spans.at(-1)).toMatchObject({ kind: 'wait', to: null });
    const cancelled = [...records.slice(0, 4), record(9, 'INTERACTION_COMPLETE', {})];
    expect(timelineOf(cancelled).spans.at(-1)).toMatchObject({ kind: 'wait', to: 9000 });
  });

  it('tells losses, retries and notes, and agents in the order of the tree', () => {
    seq = 0;
    const { spans, marks, agents } = timelineOf([
      record(0, 'INTERACTION_STARTED', { agent: 'react' }),
      record(1, 'AGENT_STARTED', { parent_agent_id: 'a', agent_type: 'x' }, 'b'),
      record(2, 'AGENT_STARTED', { parent_agent_id: 'a', agent_type: 'y' }, 'c'),
      record(3, 'AGENT_STARTED', { parent_agent_id: 'b', agent_type: 'z' }, 'd'),
      record(4, 'NOTICE', { code: 'model_retry', message: '' }),
      record(60, 'RESUMED', { attempt: 2 }),
    ]);
    expect(spans).toMatchObject([{ kind: 'lost', from: 4000, to: 60_000 }]);
    expect(marks.map(({ kind }) => kind)).toEqual(['retry', 'resume']);
    expect(agents.map(({ type, depth }) => [type, depth])).toEqual([
      ['react', 0],
      ['x', 1],
      ['z', 2],
      ['y', 1],
    ]);
  });

  it('never goes back where clocks differ', () => {
    seq = 0;
    const { times } = timelineOf([
      record(5, 'INTERACTION_STARTED', { agent: 'react' }),
      record(3, 'NOTICE', {}),
    ]);
    expect(times).toEqual([5000, 5000]);
  });
});

describe(Scale.name, () => {
  it('draws eight hours of waiting short', () => {
    const timeline = timelineOf(parked(8));
    const scale = scaleOf(timeline, timeline.end);
    expect(scale.x(timeline.begin)).toBe(0);
    expect(scale.x(timeline.end)).toBe(1);
    const waited = scale.x(timeline.times[4]!) - scale.x(timeline.times[3]!);
    expect(waited).toBeGreaterThan(0.05);
    expect(waited).toBeLessThan(0.3);
  });

  it('keeps order, and is 0 where there is no time', () => {
    const timeline = timelineOf(parked(1));
    const places = timeline.times.map((time) => scaleOf(timeline, timeline.end).x(time));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(new Scale(5, 5, []).x(5)).toBe(0);
  });

  it('knows if some wait is drawn shorter than it was', () => {
    const work = [{ from: 0, to: 1000 }];
    expect(new Scale(0, 1200, work).isShortened).toBe(false);
    expect(new Scale(0, 1201, work).isShortened).toBe(true);
  });

  it('joins intervals that touch', () => {
    expect(
      union([
        { from: 3, to: 5 },
        { from: 0, to: 1 },
        { from: 1, to: 2 },
      ]),
    ).toEqual([
      { from: 0, to: 2 },
      { from: 3, to: 5 },
    ]);
  });
});

describe(rowsOf.name, () => {
  it('puts what happens at the same time below each other', () => {
    seq = 0;
    const timeline = timelineOf([
      record(0, 'INTERACTION_STARTED', { agent: 'react' }),
      record(1, 'TOOL_STARTED', { id: 'c1' }),
      record(1, 'TOOL_STARTED', { id: 'c2' }),
      record(4, 'TOOL_RESULT', { id: 'c2' }),
      record(5, 'TOOL_RESULT', { id: 'c1' }),
      record(5, 'TOOL_STARTED', { id: 'c3' }),
    ]);
    const scale = scaleOf(timeline, 10_000);
    const [row] = rowsOf(timeline, { width: 300, scale, end: 10_000 });
    expect(row!.lanes.map((lane) => lane.length)).toEqual([2, 1]);
    expect(row!.lanes[0]!.at(-1)).toMatchObject({ isOpen: true });
  });

  it('draws no more bars than there are pixels', () => {
    seq = 0;
    const records = [record(0, 'INTERACTION_STARTED', { agent: 'react' })];
    for (let n = 0; n < 5000; n++) {
      records.push(record(n * 2, 'TOOL_STARTED', { id: `c${n}` }));
      records.push(record(n * 2 + 1, 'TOOL_RESULT', { id: `c${n}` }));
    }
    const timeline = timelineOf(records);
    const drawing = { width: 300, scale: scaleOf(timeline, timeline.end), end: timeline.end };
    const bars = rowsOf(timeline, drawing).flatMap(({ lanes }) => lanes.flat());
    expect(bars.length).toBeLessThanOrEqual(300);
  });
});
