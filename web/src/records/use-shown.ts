import { createContext, useDeferredValue, useMemo } from 'react';
import type { ChatView } from '../chat/open-chat';
import { useTargetOf } from '../chat/target';
import { turnOf, turnsOf } from '../chat/turns';
import type { Turn } from '../chat/turns';
import { usePanelTab } from '../panel/panel-tab';
import { useLog } from './logs';
import { stateAt, viewAt } from './past';

/** A record of the past that the conversation is shown as of. */
export interface Past {
  readonly interaction_id: string;
  readonly seq: number;
  /** The last record that there is. */
  readonly last: number;
  /** It is of the last turn, which the page is about without an address too. */
  readonly isOfLast: boolean;
}

export interface Shown {
  readonly view: ChatView;
  readonly turns: readonly Turn[];
  /** null: it is shown as it is now. */
  readonly past: Past | null;
}

/** True within what is shown of the past: nothing is decided there. */
export const IsPast = createContext(false);

/** The conversation as of the record that the timeline is at, else as it is now. */
export function useShown(view: ChatView, turns: readonly Turn[]): Shown {
  const target = useTargetOf();
  const isScrubbing = usePanelTab() === 'timeline';
  const named = target?.seq == null ? undefined : turnOf(view, target.interaction_id);
  // The cursor is faster than a long conversation can be drawn.
  const at = useDeferredValue(named && (isScrubbing || named.isCut) ? target : null);
  const id = at?.interaction_id;
  const { records, isWhole } = useLog(id, id === undefined ? undefined : turnOf(view, id));
  // A record that the address names is shown also where the page had only a part of its turn.
  const seq = isScrubbing ? at?.seq : isWhole && at ? Infinity : undefined;
  const state = useMemo(() => (seq == null ? undefined : stateAt(records, seq)), [records, seq]);
  const { history } = view;
  const [interactions, requests] = [view.conversation?.interactions, view.conversation?.requests];
  return useMemo(() => {
    if (!at || !state?.interactions[at.interaction_id]) return { view, turns, past: null };
    const then = viewAt(view, at.interaction_id, state);
    if (!isScrubbing) return { view: then, turns: turnsOf(then, turns.at(-1)?.id), past: null };
    const shown = state.interactions[at.interaction_id]!.seq;
    const { interaction_id } = at;
    const isOfLast = turns.at(-1)?.id === interaction_id;
    const past = { interaction_id, seq: shown, last: records.at(-1)!.seq, isOfLast };
    return { view: then, turns: turnsOf(then, at.interaction_id), past };
    // Deltas change the view, but nothing of the past.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
  }, [at ? interactions : view, at ? requests : turns, at, state, history, records, turns]);
}
