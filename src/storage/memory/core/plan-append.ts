import { AppError } from '../../../kernel/app-error.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { AppendBatch, AppendOutcome } from '../../../persistence/rows/append-rows.js';
import { isFinal } from '../../../protocol/interaction.js';
import { isProgress } from '../../../protocol/events.js';
import type { InteractionState } from './interaction-state.js';
import type { LogAppend } from './journal.js';

/** The outcome if no write is needed; else the append and the state after it. */
export type AppendPlan =
  | { readonly outcome: AppendOutcome }
  | { readonly state: InteractionState; readonly content: LogAppend };

/**
 * @param batch with new requests only
 * @throws AppError `log_gap` for records that don't follow the log's last one (I1), `bad_usage`
 */
export function planAppend(state: InteractionState, batch: AppendBatch): AppendPlan {
  const { records, requests = [], end } = batch;
  if (batch.epoch !== state.epoch) return { outcome: 'fenced' }; // I6
  if (records[0] && records[0].seq <= state.epoch_after) return { outcome: 'fenced' };
  const fresh = records.filter((record) => record.seq > state.last_seq);
  if (records.length > 0 && fresh.length === 0) return { outcome: 'written' };
  if (isFinal(state.status)) return { outcome: 'fenced' };
  checkNoGap(state.last_seq, fresh);
  checkUsage(batch);
  return {
    state: appendedState(state, { ...batch, records: fresh }),
    content: { records: fresh, requests, ...(end && { added_messages: end.added_messages }) },
  };
}

function appendedState(state: InteractionState, batch: AppendBatch): InteractionState {
  const { records, requests = [], status, usage, usage_by_model, end } = batch;
  const request_changes = state.request_changes + requests.length;
  const next: InteractionState = {
    ...state,
    last_seq: records.at(-1)?.seq ?? state.last_seq,
    progressed: state.progressed || records.some(({ body }) => isProgress(body)),
    request_changes,
    ...(status && { status }),
    ...(usage && { usage }),
    ...(usage_by_model && { usage_by_model }),
  };
  if (!end) return next;
  const { error, completed_at } = end;
  return {
    ...next,
    ...{ status: end.status, error, completed_at, owner: null },
    request_changes: request_changes + (request_changes > 0 ? 1 : 0), // pending requests are closed
  };
}

function checkNoGap(lastSeq: number, records: readonly LogRecord[]): void {
  records.forEach((record, i) => {
    if (record.seq === lastSeq + 1 + i) return;
    throw new AppError(
      'internal',
      'log_gap',
      `Record ${record.seq} does not follow record ${lastSeq + i}. Nothing was written.`,
    );
  });
}

/** Refuses numbers that the columns of a database refuse. */
function checkUsage({ usage }: AppendBatch): void {
  if (!usage) return;
  const { cost_usd = 0, ...tokens } = usage;
  if (Number.isFinite(cost_usd) && Object.values(tokens).every(Number.isSafeInteger)) return;
  throw new AppError(
    'internal',
    'bad_usage',
    `${JSON.stringify(usage)} are not token counts and a cost.`,
  );
}
