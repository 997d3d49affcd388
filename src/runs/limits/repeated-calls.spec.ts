import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { Decider, RecordBody } from '../../protocol/events.js';
import { RepeatedCalls } from './repeated-calls.js';

/** An agent's log, made of one call or result after the other. */
class Story {
  private readonly calls = new RepeatedCalls();
  private count = 0;

  constructor(private readonly agent_id = 'agent_1') {}

  /** Whether the call looks like a loop. */
  call(tool_input = '{}', more: object = {}, agent_id = this.agent_id): boolean {
    const key = `k${++this.count}`;
    this.tell(key, { type: 'TOOL_CALL', ...NAMED, tool_input, ...more }, agent_id);
    return this.calls.reasonFor(key) !== undefined;
  }

  /** Of the newest call. */
  result(tool_output: string, is_error = false, n = this.count): this {
    const body = { type: 'TOOL_RESULT', ...NAMED, tool_output, is_error, duration_ms: 1 } as const;
    return this.tell(`k${n}`, body);
  }

  approved(by: Decider, n = this.count): this {
    const ids = { approval_id: 'approval_1', tool_call_id: 'c' };
    return this.tell(`k${n}`, { type: 'APPROVED', ...ids, by });
  }

  private tell(key: string, body: RecordBody, agent_id = this.agent_id): this {
    this.calls.apply({ key, body, agent_id } as LogRecord);
    return this;
  }
}

const NAMED = { id: 'c', block_id: 'b', tool_name: 'tool' };

describe(RepeatedCalls.name, () => {
  it('knows the third of calls that are the same and come to the same', () => {
    const story = new Story();
    const looped = ['A', 'A', 'A', 'A'].map((output) => {
      const isLoop = story.call();
      story.result(output);
      return isLoop;
    });
    expect(looped).toEqual([false, false, true, true]);
  });

  it('tells numbers apart that are the same as doubles', () => {
    const story = new Story();
    for (const last of [1, 2, 3, 4])
      expect(story.call(`{"id":123456789012345678${last}}`)).toBe(false);
  });

  it('counts errors, whatever they say', () => {
    const story = new Story();
    expect(story.call()).toBe(false);
    expect(story.result('Not now', true).call()).toBe(false);
    expect(story.result('Not yet', true).call()).toBe(true);
  });

  it('takes a result that is news for progress', () => {
    const story = new Story();
    for (const output of ['A', 'B', 'C', 'D']) {
      expect(story.call()).toBe(false);
      story.result(output);
    }
    expect(story.call()).toBe(false);
    expect(story.result('D').call()).toBe(true);
  });

  it('takes a success after an error for progress', () => {
    const story = new Story();
    story.call();
    story.result('Not now', true).call();
    expect(story.result('A').call()).toBe(false);
    expect(story.result('A').call()).toBe(true);
  });

  it('counts calls of one turn, which have no results yet', () => {
    const story = new Story();
    expect([story.call(), story.call(), story.call()]).toEqual([false, false, true]);
  });

  it('compares inputs as JSON, and what is none as it is', () => {
    const story = new Story();
    const inputs = ['{"a":1,"b":2}', '{"b":2, "a":1}', '{ "a": 1, "b": 2 }'];
    expect(inputs.map((input) => story.call(input))).toEqual([false, false, true]);
    expect(['{"a', '{"a', '{"a'].map((input) => story.call(input))).toEqual([false, false, true]);
  });

  it('begins anew with another input, another tool, and counts each agent by itself', () => {
    const story = new Story();
    story.call();
    story.call();
    expect(story.call('{"x":1}')).toBe(false);
    expect(story.call()).toBe(false);
    expect(story.call()).toBe(false);
    expect(story.call('{}', { tool_name: 'other' })).toBe(false);
    for (const agent of ['a', 'b', 'c']) expect(story.call('{}', {}, agent)).toBe(false);
  });

  it('begins anew when a person let one run', () => {
    const story = new Story();
    story.call();
    story.call();
    story.call();
    story.approved({ kind: 'system' }).result('A');
    expect(story.call()).toBe(true);
    story.approved({ kind: 'user', user_id: 'ann' }).result('A');
    expect([story.call(), story.call(), story.call()]).toEqual([false, false, true]);
  });

  it('leaves calls alone that a program made inside a tool', () => {
    const story = new Story();
    const inside = { parent_tool_call_id: 'p' };
    expect([1, 2, 3, 4].map(() => story.call('{}', inside))).not.toContain(true);
  });
});
