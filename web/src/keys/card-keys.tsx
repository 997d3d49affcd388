import { keyText as text } from '../strings/keys';
import { cardsInOrder, focusCard, focusedCard, giveFocus, isInSight, isSeen } from './cards';
import type { Card } from './cards';
import { useKeys } from './registry';

/** Keys of the cards that wait for a person; there while there is one. */
export function CardKeys() {
  const group = text.groups.decide;
  useKeys([
    { key: 'a', label: text.approve, group, run: approve },
    { key: 'e', label: text.edit, group, run: act('edit') },
    { key: 'r', label: text.reject, group, run: act('reject') },
    { key: 'j', label: text.nextCard, group, run: () => step(1) },
    { key: 'k', label: text.previousCard, group, run: () => step(-1) },
    {
      ...{ key: 'ArrowUp', label: text.toCard, group, isForFields: true },
      run: ({ target }) => isEmptyComposer(target) && step(-1),
    },
  ]);
  return null;
}

/** The card that has the focus; else the first one gets it, and the next press approves. */
function approve({ repeat }: KeyboardEvent): boolean {
  const focused = focusedCard();
  const card = focused ?? cardsInOrder().find(can('approve'));
  const action = card?.actions().approve;
  if (!card || !action) return false;
  if (card !== focused || !isInSight(card)) giveFocus(card);
  else if (!repeat && isSeen(card)) action();
  return true;
}

function act(name: 'edit' | 'reject'): () => boolean {
  return () => {
    const card = focusedCard() ?? cardsInOrder().find(can(name));
    const action = card?.actions()[name];
    if (!card || !action) return false;
    // Neither decides anything.
    if (!isInSight(card)) focusCard(card);
    action();
    return true;
  };
}

function can(name: 'approve' | 'edit' | 'reject'): (card: Card) => boolean {
  return (card) => card.actions()[name] !== undefined;
}

function step(by: 1 | -1): boolean {
  const all = cardsInOrder();
  const at = all.indexOf(focusedCard()!);
  const next = at < 0 ? all.at(by < 0 ? -1 : 0) : all[at + by];
  if (next) focusCard(next);
  return true;
}

function isEmptyComposer(target: EventTarget | null): boolean {
  const isComposer =
    target instanceof HTMLTextAreaElement && target.dataset['testid'] === 'composer';
  return isComposer && target.value === '';
}
