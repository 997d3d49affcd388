import type { RecordEvent } from 'parley/client';
import { RECEIPTS, session } from '../session/credential';
import { Store } from '../ui/store';

const MOST = 50;

/** Something that an agent was told from this page. */
export interface Receipt {
  readonly intervention_id: string;
  readonly agent_id: string;
  readonly kind: 'note' | 'modify' | 'delete';
  readonly text: string;
}

/** The latest of this tab, the oldest first. */
export const receipts = new Store<readonly Receipt[]>(kept());

session.subscribe(() => receipts.set([]));
receipts.subscribe(() => {
  sessionStorage.setItem(RECEIPTS, JSON.stringify(receipts.get().slice(-MOST)));
});

function kept(): readonly Receipt[] {
  return JSON.parse(sessionStorage.getItem(RECEIPTS) ?? '[]') as Receipt[];
}

/** The record in which it was taken in; null: it was not; undefined: it may still be. */
export function readAt(
  { intervention_id }: Receipt,
  records: readonly RecordEvent[],
  hasEnded: boolean,
): number | null | undefined {
  const taken = records.findLast(
    (it) => it.type === 'AGENT_INTERVENED' && it.intervention_id === intervention_id,
  );
  return taken?.seq ?? (hasEnded ? null : undefined);
}
