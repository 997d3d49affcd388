import { useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { Store } from '../ui/store';

interface CardActions {
  /** True once this person has decided. */
  readonly isDecided?: boolean;
  readonly approve?: () => void;
  readonly reject?: () => void;
  readonly edit?: () => void;
}

export interface Card {
  readonly element: HTMLElement;
  readonly actions: () => CardActions;
  /** In milliseconds of `performance.now`. */
  readonly shownAt: number;
}

/** A card that has just come, or that got the focus unasked, takes no key as its approval. */
const UNSEEN_MS = 600;
/** The card that got the focus without being chosen, and when. */
let given: { readonly card: Card; readonly at: number } | undefined;

/** Cards that are drawn and wait for a person. */
export const cards = new Store<readonly Card[]>([]);

/** Lets keys act on a card; the ref is for its outermost element, which can take the focus. */
export function useCard(actions: CardActions): RefObject<HTMLElement | null> {
  const element = useRef<HTMLElement>(null);
  const current = useRef(actions);
  current.current = actions;
  // Before the element is taken out of the page, which takes the focus away.
  useLayoutEffect(() => {
    if (!element.current) return;
    const shownAt = performance.now();
    const card: Card = { element: element.current, actions: () => current.current, shownAt };
    cards.set([...cards.get(), card]);
    return () => {
      // By another's decision the focus goes nowhere: a key on its way is meant for this card.
      if (focusedCard() === card && current.current.isDecided) passFocus(card);
      cards.set(cards.get().filter((each) => each !== card));
    };
  }, []);
  return element;
}

/** In the order of the page. */
export function cardsInOrder(): readonly Card[] {
  return [...cards.get()].sort(({ element: a }, { element: b }) =>
    a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  );
}

export function focusedCard(): Card | undefined {
  return cards.get().find(({ element }) => element.contains(document.activeElement));
}

/** After a decision the focus goes on to the next card. */
function passFocus(card: Card): void {
  const all = cardsInOrder();
  const next = all[all.indexOf(card) + 1];
  if (!next) return;
  given = { card: next, at: performance.now() };
  requestAnimationFrame(() => next.element.focus({ preventScroll: true }));
}

export function focusCard({ element }: Card): void {
  element.focus({ preventScroll: true });
  const { height } = element.getBoundingClientRect();
  element.scrollIntoView({ block: height < boxOf(element).height ? 'nearest' : 'start' });
}

/** The same for a key that would have decided: the next press does, after a look. */
export function giveFocus(card: Card): void {
  given = { card, at: performance.now() };
  focusCard(card);
}

/** True once a person may have seen it. */
export function isSeen(card: Card): boolean {
  const since = given?.card === card ? Math.max(given.at, card.shownAt) : card.shownAt;
  return performance.now() - since >= UNSEEN_MS && isInSight(card);
}

/** From its beginning, where it says what would run. */
export function isInSight({ element }: Card): boolean {
  const { top } = element.getBoundingClientRect();
  const box = boxOf(element);
  return top >= box.top - 8 && top < box.bottom - 96;
}

function boxOf(element: HTMLElement): DOMRect {
  const scroller = element.closest('[role=log]');
  return scroller?.getBoundingClientRect() ?? new DOMRect(0, 0, innerWidth, innerHeight);
}
