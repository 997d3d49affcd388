import { useState } from 'react';

/** Number of an agent's items that are drawn, until a reader asks for more. */
const MOST = 200;
/** The same of the past, which is drawn anew with each record. */
const MOST_PAST = 60;
const MORE = 500;

export interface ItemWindow {
  /** The first that is drawn, and the one after the last. */
  readonly start: number;
  readonly end: number;
  readonly showEarlier: () => void;
  readonly showLater: () => void;
}

/**
 * The part of a long list that is drawn: its end, or the surroundings of an item. What is drawn
 * stays so while the list grows.
 * @param around the item that has to be seen; -1: none
 */
export function useItemWindow(length: number, around: number, isPast: boolean): ItemWindow {
  const most = isPast ? MOST_PAST : MOST;
  const newest = Math.max(0, length - most);
  const [atFirst] = useState(newest);
  const [extra, setExtra] = useState({ before: 0, after: 0 });
  const first = isPast ? newest : Math.min(atFirst, newest);
  const { start, end } = windowOf({ length, first, around, most });
  return {
    start: Math.max(0, start - extra.before),
    end: Math.min(length, end + extra.after),
    showEarlier: () => setExtra(({ before, after }) => ({ before: before + MORE, after })),
    showLater: () => setExtra(({ before, after }) => ({ before, after: after + MORE })),
  };
}

function windowOf({
  length,
  first,
  around,
  most,
}: Record<'length' | 'first' | 'around' | 'most', number>) {
  if (around < 0 || around >= first) return { start: first, end: length };
  const start = Math.max(0, around - most / 2);
  return { start, end: Math.min(length, start + most) };
}
