import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InteractionSettings } from '../../persistence/rows/store-rows.js';
import type { LogStart } from './log-start.js';
import type { LogState } from './log-state.js';

/** A log from before there were requests, queues and branches lacks what these added, and has the parent in its start. */
type EarlierStart = Partial<LogStart> & { readonly parent_id?: string | null };

const SETTINGS: Pick<InteractionSettings, 'approval_mode' | 'client_tools'> = {
  approval_mode: 'ask',
  client_tools: [],
};

export function completeStart(start: LogStart, { agent_id }: LogRecord): LogStart {
  const earlier: EarlierStart = start;
  const settings = { ...SETTINGS, ...start.settings };
  return { agent_id, edited_from: null, ...earlier, settings } as LogStart;
}

export function completeState(state: Partial<LogState>, start: EarlierStart): LogState {
  const { parent_id = null, ordinal: turn } = start;
  const added = {
    ...{ parked_signals: null, queue_rank: null, request_changes: 0 },
    ...{ losses: 0, taken_seq: 1, interventions: 0, has_children: true }, // it may have
  };
  return { ...added, parent_id, turn, ...state } as LogState;
}
