import type { InterventionRow } from '../../persistence/rows/intervention-rows.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InterventionView } from '../../protocol/wire/agent.js';

/** Interventions of an agent, in order; `log` is its interaction's. */
export function viewInterventions(
  rows: readonly InterventionRow[],
  log: readonly LogRecord[],
  { id, hasEnded }: { readonly id: string; readonly hasEnded: boolean },
): InterventionView[] {
  const seqs = new Map<string, number>();
  for (const { body, seq } of log)
    if (body.type === 'AGENT_INTERVENED') seqs.set(body.intervention_id, seq);
  return rows
    .filter(({ agent_id }) => agent_id === id)
    .map(({ id: intervention_id, user_comment, user_content, created_at }) => {
      const seq = seqs.get(intervention_id) ?? null;
      const unseen = hasEnded ? 'too_late' : 'accepted';
      const status = seq === null ? unseen : 'taken_in';
      return { intervention_id, status, user_comment, user_content, created_at, seq };
    });
}

/** Reason of cancellation when a person has stopped the root agent. */
export const DELETED = 'Its agent was stopped by the user.';
