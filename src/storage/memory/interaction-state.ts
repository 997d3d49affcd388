import type { LeaseTerms } from '../../persistence/rows/store-rows.js';
import { countLosses } from './count-losses.js';
import type { LogState } from './log-state.js';

const NEW: LogState = {
  last_seq: 0,
  status: 'QUEUED',
  epoch: 0,
  epoch_after: 0,
  owner: null,
  losses: 0,
  taken_seq: 1,
  signals: 0,
  parked_signals: null,
  cancel_reason: null,
  parent_id: null,
  queue_rank: null,
  turn: null,
  interventions: 0,
  has_children: false,
  request_changes: 0,
  usage: { input_tokens: 0, output_tokens: 0 },
  error: null,
  completed_at: null,
};

/** Where an interaction comes in when it begins. */
export interface Beginning {
  readonly parent_id: string | null;
  readonly turn: number;
}

/** As an interaction starts: in epoch 1 if somebody holds it, else unowned in epoch 0. */
export function startedState(owner: string | null, beginning: Beginning): LogState {
  const epoch = owner === null ? 0 : 1;
  return { ...begunState(NEW, beginning), epoch, owner };
}

export function queuedState(place: Pick<LogState, 'parent_id' | 'queue_rank'>): LogState {
  return { ...NEW, ...place };
}

/** With record 1. */
export function begunState(state: LogState, beginning: Beginning): LogState {
  return { ...state, ...beginning, status: 'RUNNING', last_seq: 1, queue_rank: null };
}

export function acquiredState(
  state: LogState,
  owner: string,
  { never_begun = false }: Pick<LeaseTerms, 'never_begun'> = {},
): LogState {
  const { epoch, last_seq, parked_signals } = state;
  const resumes = epoch > 0 && parked_signals === null;
  return {
    ...state,
    ...{ epoch: epoch + 1, epoch_after: last_seq, owner, parked_signals: null },
    losses: countLosses(never_begun && state.owner === owner ? { ...state, owner: null } : state),
    ...{ taken_seq: resumes ? last_seq + 1 : last_seq },
  };
}

export function releasedState(state: LogState): LogState {
  return { ...state, owner: null };
}

export function parkedState(state: LogState): LogState {
  return { ...state, owner: null, parked_signals: state.signals };
}

export function cancelledState(state: LogState, reason: string): LogState {
  return { ...state, signals: state.signals + 1, cancel_reason: state.cancel_reason ?? reason };
}

export function interruptedState(state: LogState): LogState {
  return cancelledState(state, 'Interrupted by a new message.');
}

/** One of its requests was settled. */
export function settledState(state: LogState): LogState {
  const { signals, request_changes } = state;
  return { ...state, signals: signals + 1, request_changes: request_changes + 1 };
}

/** Somebody told one of its agents something. */
export function intervenedState(state: LogState): LogState {
  const { signals, interventions } = state;
  return { ...state, signals: signals + 1, interventions: interventions + 1 };
}
