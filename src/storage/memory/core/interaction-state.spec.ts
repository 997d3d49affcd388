import { INTERRUPTED } from '../../../persistence/interaction-rules.js';
import {
  acquiredState,
  begunState,
  cancelledState,
  parkedState,
  queuedState,
  settledState,
  startedState,
} from './interaction-state.js';

const held = startedState('process-a', { parent_id: null, branch_version: 1 });

describe(cancelledState.name, () => {
  it('counts signals and keeps the first reason', () => {
    const twice = cancelledState(cancelledState(held, 'first', null), 'second', 'ann');
    expect(twice).toMatchObject({ signals: 2, cancel_reason: 'first', cancelled_by: null });
    expect(cancelledState(twice, INTERRUPTED, 'ann')).toMatchObject({
      signals: 3,
      cancel_reason: 'first',
      cancelled_by: null,
    });
    const interrupted = cancelledState(held, INTERRUPTED, 'ann');
    expect(interrupted.cancelled_by).toBe('ann');
    expect(interrupted.cancel_reason).toBe('Interrupted by a new message.');
  });
});

describe(begunState.name, () => {
  it('leaves the queue with record 1', () => {
    const queued = queuedState({ parent_id: null, queue_rank: 3 });
    expect(queued).toMatchObject({
      status: 'QUEUED',
      last_seq: 0,
      queue_rank: 3,
      branch_version: null,
    });
    expect(begunState(queued, { parent_id: 'int_1', branch_version: 4 })).toMatchObject({
      ...{ status: 'RUNNING', last_seq: 1, queue_rank: null, branch_version: 4 },
      ...{ parent_id: 'int_1', epoch: 0, owner: null },
    });
  });
});

describe(parkedState.name, () => {
  it('remembers what was signalled, until a run takes it up', () => {
    const parked = parkedState(settledState(held));
    expect(parked).toMatchObject({ owner: null, signals: 1, parked_signals: 1 });
    expect(settledState(parked)).toMatchObject({ signals: 2, parked_signals: 1 });
    expect(acquiredState(parked, 'process-b')).toMatchObject({ epoch: 2, parked_signals: null });
  });
});
