import { countLosses } from '../../../persistence/interaction-rules.js';
import type { LossCounters } from '../../../persistence/interaction-rules.js';
import type { LeaseTerms, ParkedLease } from '../../../persistence/rows/lease-rows.js';
import type { ModelUsage } from '../../../persistence/rows/append-rows.js';
import { NO_USAGE } from '../../../protocol/interaction.js';
import type { InteractionError, InteractionStatus, Usage } from '../../../protocol/interaction.js';

/** All data of an interaction that changes. Immutable: each change creates a new object. */
export interface InteractionState extends LossCounters {
  readonly last_seq: number;
  readonly status: InteractionStatus;
  readonly epoch: number;
  /** `last_seq` when this epoch began: earlier runs wrote the records up to it. */
  readonly epoch_after: number;
  /** The owner of the lease, or its last owner before the process died. */
  readonly owner: string | null;
  readonly signals: number;
  /** `signals` when the run parked; null while it isn't parked. */
  readonly parked_signals: number | null;
  /** While it is parked: the requirement that the server lacks, if it waits for one. */
  readonly waits_for?: string | undefined;
  readonly cancel_reason: string | null;
  readonly cancelled_by: string | null;
  /** null in the queue, unless it is an edit. A cancel in the queue sets it to the chat's head. */
  readonly parent_id: string | null;
  /**
   * The interaction with the lowest rank of a chat is next. null once begun; an interaction that
   * ends in the queue keeps its rank.
   */
  readonly queue_rank: number | null;
  /** How often it was edited or moved in the queue, if it was. */
  readonly queue_changes?: number;
  /**
   * Number of the chat's branch change that this interaction made, by beginning, by ending in the
   * queue or by a retry. null before.
   */
  readonly branch_version: number | null;
  /** Number of accepted interventions. */
  readonly interventions: number;
  /** True once child agents have been started. */
  readonly has_children: boolean;
  /** Their ids, once the interaction has ended. */
  readonly children?: readonly string[];
  /** Incremented by each change of its requests; a copy of them with another value is stale. */
  readonly request_changes: number;
  readonly usage: Usage;
  /** Defined by `AppendBatch`; undefined: all usage is of the model that it was started with. */
  readonly usage_by_model?: readonly ModelUsage[];
  readonly error: InteractionError | null;
  readonly completed_at: string | null;
}

const NEW: InteractionState = {
  last_seq: 0,
  status: 'QUEUED',
  epoch: 0,
  epoch_after: 0,
  owner: null,
  progressed: false,
  losses: 0,
  alone_losses: 0,
  trial: 0,
  signals: 0,
  parked_signals: null,
  cancel_reason: null,
  cancelled_by: null,
  parent_id: null,
  queue_rank: null,
  branch_version: null,
  interventions: 0,
  has_children: false,
  request_changes: 0,
  usage: NO_USAGE,
  error: null,
  completed_at: null,
};

/** The place of an interaction in its chat's tree when it begins. */
export interface TreePlace {
  readonly parent_id: string | null;
  readonly branch_version: number;
}

/**
 * The state of an interaction that begins at once: in epoch 1 if leased, else unowned in epoch 0.
 */
export function startedState(owner: string | null, place: TreePlace): InteractionState {
  return { ...begunState(NEW, place), epoch: owner === null ? 0 : 1, owner };
}

export function queuedState(
  place: Pick<InteractionState, 'parent_id' | 'queue_rank'>,
): InteractionState {
  return { ...NEW, ...place };
}

/** The state of an interaction that begins, with record 1. */
export function begunState(state: InteractionState, place: TreePlace): InteractionState {
  return { ...state, ...place, status: 'RUNNING', last_seq: 1, queue_rank: null };
}

export function acquiredState(
  state: InteractionState,
  owner: string,
  { never_begun = false, trial = 0 }: Pick<LeaseTerms, 'never_begun' | 'trial'> = {},
): InteractionState {
  const { epoch, last_seq } = state;
  return {
    ...state,
    ...{ epoch: epoch + 1, epoch_after: last_seq, owner, parked_signals: null },
    waits_for: undefined,
    ...countLosses(never_begun && state.owner === owner ? releasedState(state) : state),
    ...{ progressed: false, trial },
  };
}

/** The state of an ended interaction that goes on, with one more record. */
export function retriedState(state: InteractionState): InteractionState {
  const { epoch, last_seq, request_changes } = state;
  return {
    ...state,
    ...{ status: 'RUNNING', error: null, completed_at: null, owner: null },
    ...{ epoch: epoch + 1, epoch_after: last_seq, last_seq: last_seq + 1 },
    ...{ parked_signals: null, cancel_reason: null, cancelled_by: null },
    ...{ progressed: false, losses: 0, alone_losses: 0, trial: 0 },
    request_changes: request_changes + (request_changes > 0 ? 1 : 0), // they are open again
  };
}

export function releasedState(state: InteractionState): InteractionState {
  return { ...state, owner: null };
}

export function parkedState(
  state: InteractionState,
  missing?: ParkedLease['missing'],
): InteractionState {
  return { ...state, owner: null, parked_signals: state.signals, ...missing };
}

/** The state after the server has got what it is parked for. */
export function wokenState(state: InteractionState): InteractionState {
  return { ...state, signals: state.signals + 1 };
}

/** `userId`: null for the server itself. */
export function cancelledState(
  state: InteractionState,
  reason: string,
  userId: string | null,
): InteractionState {
  const signals = state.signals + 1;
  if (state.cancel_reason !== null) return { ...state, signals };
  return { ...state, signals, cancel_reason: reason, cancelled_by: userId };
}

/** The state after one of its requests was settled. */
export function settledState(state: InteractionState): InteractionState {
  const { signals, request_changes } = state;
  return { ...state, signals: signals + 1, request_changes: request_changes + 1 };
}

/** The state after an intervention was accepted. */
export function intervenedState(state: InteractionState): InteractionState {
  const { signals, interventions } = state;
  return { ...state, signals: signals + 1, interventions: interventions + 1 };
}
