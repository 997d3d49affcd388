import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { AppendBatch } from '../../../persistence/rows/append-rows.js';
import type { InteractionState } from './interaction-state.js';
import { acquiredState, startedState } from './interaction-state.js';
import { planAppend } from './plan-append.js';

const held = startedState('process-a', { parent_id: null, branch_version: 1 });

function batch(seqs: readonly number[], extra: Partial<AppendBatch> = {}): AppendBatch {
  const records = seqs.map((seq) => ({ seq, body: { type: 'NOTICE' } }) as LogRecord);
  return { interaction_id: 'int_1', epoch: 1, records, ...extra };
}

function stateAfter(state: InteractionState, append: AppendBatch): InteractionState {
  const plan = planAppend(state, append);
  if ('outcome' in plan) throw new Error(String(plan.outcome));
  return plan.state;
}

describe(planAppend.name, () => {
  const later = stateAfter(held, batch([2, 3]));
  const taken = acquiredState(later, 'process-b');
  const end = {
    status: 'COMPLETED',
    error: null,
    completed_at: 'now',
    added_messages: [],
  } as const;
  const over = stateAfter(held, batch([2], { end }));

  it.each([
    ['an older epoch', taken, batch([4]), 'fenced'],
    ['an unknown epoch', held, batch([2], { epoch: 9 }), 'fenced'],
    ['records that an older run wrote', taken, batch([3, 4], { epoch: 2 }), 'fenced'],
    ['a repeat', later, batch([2, 3]), 'written'],
    ['a repeat of an earlier append', later, batch([2]), 'written'],
    ['a repeat of the end', over, batch([2], { end }), 'written'],
    ['records after the end', over, batch([3]), 'fenced'],
    ['a status after the end', over, batch([], { status: 'RUNNING' }), 'fenced'],
  ] as const)('writes nothing for %s', (_, state, append, outcome) => {
    expect(planAppend(state, append)).toEqual({ outcome });
  });

  it('writes what is new of a repeat', () => {
    const plan = planAppend(later, batch([3, 4]));
    expect(plan).toMatchObject({ content: { records: [{ seq: 4 }] }, state: { last_seq: 4 } });
  });

  it('refuses a gap, before and within (I1)', () => {
    expect(() => planAppend(held, batch([3]))).toThrow('Record 3 does not follow record 1.');
    expect(() => planAppend(held, batch([2, 4]))).toThrow('Record 4 does not follow record 2.');
  });

  it('lets go of the lease at the end', () => {
    expect(over).toMatchObject({ status: 'COMPLETED', owner: null, completed_at: 'now' });
  });
});
