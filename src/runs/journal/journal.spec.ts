import { setImmediate as nextTick } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordBody } from '../../protocol/events.js';
import { Journal, UNCLAIMED_MS } from './journal.js';

let seq = 0;

function record(key: string | null, body: RecordBody): LogRecord {
  const at = '2026-01-15T10:00:00.000Z';
  return { interaction_id: 'i', seq: ++seq, epoch: 1, agent_id: 'a', at, key, body, hidden: null };
}

function step(key: string): LogRecord {
  return record(key, { type: 'STEP_COMPLETED', name: key });
}

/** The journal's ticks, and some. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 10; i++) await nextTick();
}

describe(Journal.name, () => {
  let delivered: string[] = [];
  let taken: string[] = [];
  let failures: unknown[] = [];
  let journal: Journal;

  beforeEach(() => {
    seq = 0;
    [delivered, taken, failures] = [[], [], []];
    journal = new Journal({
      deliver: ({ key, body }) => void delivered.push(key ?? body.type),
      fail: (error) => void failures.push(error),
    });
  });

  afterEach(() => journal.stop());

  async function take(key: string): Promise<void> {
    await journal.completionOf(key);
    taken.push(key);
  }

  it('hands over completions in order of seq, whoever asks first', async () => {
    journal.push([step('1'), step('2'), step('3')]);
    const all = ['3', '2', '1'].map((key) => take(key));
    await Promise.all(all);
    expect(taken).toEqual(['1', '2', '3']);
  });

  it('hands over what is completed live in order of seq too', async () => {
    const all = ['1', '2', '3'].map((key) => take(key));
    journal.push([step('2')]);
    journal.push([step('3'), step('1')]);
    await Promise.all(all);
    expect(taken).toEqual(['2', '3', '1']);
  });

  it('says when what the log has told of a step was delivered', async () => {
    const call = { type: 'TOOL_CALL', id: 'c', block_id: 'b', tool_name: 't', tool_input: '{' };
    journal.push([step('1'), record('1.0/1', call as RecordBody)]);
    const told = journal.deliveryOf('1.0/1').then(() => delivered.push('told'));
    await quiet();
    expect(delivered).toEqual([]);
    await take('1');
    await told;
    expect(delivered).toEqual(['1', '1.0/1', 'told']);
    await journal.deliveryOf('1.0/1');
  });

  it('passes over what was done inside a step that is completed, and hands it over where that is done again', async () => {
    journal.push([step('a/1.0/1'), step('a/1.0'), step('a/2.0/1')]);
    const done = take('a/1.0');
    const again = take('a/2.0/1');
    await Promise.all([done, again]);
    expect(taken).toEqual(['a/1.0', 'a/2.0/1']);
    expect(delivered).toEqual(['a/1.0/1', 'a/1.0', 'a/2.0/1']);
    expect(journal.firstUnclaimed()).toBeUndefined();
  });

  it('passes over what an agent that is stopped did, delivered to nobody, so that the others go on', async () => {
    journal.push([step('a/1/1'), step('a/2')]);
    const other = take('a/2');
    await quiet();
    expect(delivered).toEqual([]);
    journal.abandon('a/1');
    await other;
    expect(taken).toEqual(['a/2']);
    expect(delivered).toEqual(['a/1/1', 'a/2']);
  });

  it('waits for a step inside one that is not completed', async () => {
    journal.push([step('a/1.0/1')]);
    await quiet();
    expect(delivered).toEqual([]);
    expect(journal.firstUnclaimed()).toMatchObject({ key: 'a/1.0/1' });
    await take('a/1.0/1');
  });

  it('lets the agent call all that it calls on its way before the next completion', async () => {
    journal.push([step('1'), step('2')]);
    const first = take('1').then(async () => {
      for (let i = 0; i < 50; i++) await Promise.resolve();
      expect(taken).toEqual(['1']);
    });
    await Promise.all([first, take('2')]);
    expect(taken).toEqual(['1', '2']);
  });

  it('does not hand over a completion in the tick in which it is asked for', async () => {
    journal.push([step('1')]);
    const first = take('1');
    for (let i = 0; i < 50; i++) await Promise.resolve();
    expect(taken).toEqual([]);
    await first;
  });

  it('waits for a step that the agent has not come to', async () => {
    journal.push([step('1'), step('2')]);
    const second = take('2');
    await quiet();
    expect(taken).toEqual([]);
    await Promise.all([take('1'), second]);
    expect(taken).toEqual(['1', '2']);
  });

  it('delivers every record, those of no step too, just before the step that comes after', async () => {
    journal.push([
      record(null, { type: 'INTERACTION_COMPLETE', status: 'FAILED' }),
      step('1'),
      record('1.0', { type: 'TOOL_STARTED', id: 'c', tool_name: 't' }),
      step('2'),
    ]);
    expect(delivered).toEqual(['INTERACTION_COMPLETE']);
    expect(journal.undelivered().map(({ key }) => key)).toEqual(['1', '1.0', '2']);
    await take('1');
    await quiet();
    expect(delivered).toEqual(['INTERACTION_COMPLETE', '1', '1.0']);
    await take('2');
    expect(delivered).toEqual(['INTERACTION_COMPLETE', '1', '1.0', '2']);
    expect(journal.undelivered()).toEqual([]);
  });

  it('finds what completed a step before its turn has come', () => {
    const [first, second] = [step('1'), step('2')];
    journal.push([first, second]);
    expect(journal.findCompletion('2')).toBe(second);
    expect(journal.findCompletion('3')).toBeUndefined();
  });

  it('finds how far a step got that is not completed', async () => {
    const call = { type: 'TOOL_CALL', id: 'c', block_id: 'b', tool_name: 't', tool_input: '{' };
    const result = { type: 'TOOL_RESULT', id: 'c', tool_name: 't', tool_output: '' };
    journal.push([record('1.0', call as RecordBody)]);
    expect(journal.findProgress('1.0', 'TOOL_CALL')?.body).toBe(call);
    expect(journal.findProgress('1.0', 'TOOL_STARTED')).toBeUndefined();
    expect(journal.findCompletion('1.0')).toBeUndefined();
    journal.push([record('1.0', { ...result, is_error: false, duration_ms: 0 } as RecordBody)]);
    await take('1.0');
    expect(journal.findProgress('1.0', 'TOOL_CALL')).toBeUndefined();
  });

  it('hands over nothing once it is stopped, not even what was on its way', async () => {
    journal.push([step('1')]);
    void take('1');
    journal.stop();
    void take('1');
    await quiet();
    expect(taken).toEqual([]);
    expect(delivered).toEqual([]);
  });

  it('stays in order when it forgets what was delivered', async () => {
    const keys = Array.from({ length: 2_500 }, (_, i) => String(i));
    journal.push(keys.map((key) => step(key)));
    await Promise.all(keys.map((key) => take(key)));
    expect(taken).toEqual(keys);
    expect(journal.undelivered()).toEqual([]);
    journal.push([step('last')]);
    await take('last');
    expect(delivered).toEqual([...keys, 'last']);
  });

  it('fails when what it delivers to does, instead of waiting for ever', async () => {
    const broken = new Error('broken');
    const told = new Promise((resolve) => {
      const deliver = (): void => {
        throw broken;
      };
      journal = new Journal({ deliver, fail: resolve });
    });
    journal.push([step('1')]);
    void journal.completionOf('1');
    expect(await told).toBe(broken);
  });

  describe('when the agent asks for fewer steps than the log has', () => {
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    });

    afterEach(() => {
      journal.stop();
      expect(jest.getTimerCount()).toBe(0);
      jest.useRealTimers();
    });

    it('names the first one, after a while in which the agent only waits for a later one', async () => {
      journal.push([step('1'), step('2'), step('3')]);
      await take('1');
      void take('3');
      await quiet();
      jest.advanceTimersByTime(UNCLAIMED_MS - 1);
      expect(failures).toEqual([]);
      jest.advanceTimersByTime(1);
      expect(failures).toMatchObject([{ code: 'journal_mismatch' }]);
      expect(String(failures[0])).toContain('at step 2 the log has the step "2"');
    });

    it('names it although a step of this run was completed behind it', async () => {
      journal.push([step('1')]);
      void take('2');
      journal.push([step('2')]);
      await quiet();
      jest.advanceTimersByTime(UNCLAIMED_MS);
      expect(String(failures[0])).toContain('at step 1 ');
    });

    it('leaves a tool alone that computes between its steps, until it is done', async () => {
      journal.push([step('1.0/1'), step('2')]);
      void take('2');
      const computed = journal.compute('1.0');
      await quiet();
      jest.advanceTimersByTime(UNCLAIMED_MS * 10);
      expect(failures).toEqual([]);
      computed();
      jest.advanceTimersByTime(UNCLAIMED_MS);
      expect(String(failures[0])).toContain('at step 1.0/1 ');
    });

    it('leaves an agent alone that waits for no step: it may come to it', async () => {
      journal.push([step('1')]);
      await quiet();
      jest.advanceTimersByTime(UNCLAIMED_MS * 10);
      void take('1');
      await quiet();
      jest.advanceTimersByTime(UNCLAIMED_MS * 10);
      expect(failures).toEqual([]);
      expect(taken).toEqual(['1']);
    });

    it('leaves an agent alone that waits for work that is not done', async () => {
      void take('1');
      await quiet();
      jest.advanceTimersByTime(UNCLAIMED_MS * 10);
      expect(failures).toEqual([]);
    });

    it('finds at once which one was left out', async () => {
      journal.push([step('1'), step('2'), step('3')]);
      await take('1');
      void take('2');
      expect(journal.firstUnclaimed()?.key).toBe('3');
      await take('3');
      expect(journal.firstUnclaimed()).toBeUndefined();
    });
  });
});
