import { lazy, Suspense, useEffect, useState } from 'react';
import { keyText as text } from '../strings/keys';
import { useStore } from '../ui/store';
import { CardKeys } from './card-keys';
import { cards } from './cards';
import { findKey } from './find-key';
import { keys, useKeys } from './registry';

const KeyList = lazy(() => import('./key-list').then(({ KeyList: it }) => ({ default: it })));
const Palette = lazy(() =>
  import('../palette/palette').then(({ Palette: it }) => ({ default: it })),
);

const FIELD =
  'input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select, [contenteditable=true]';

/** The keyboard of the page: what keys do, a list of them, and the palette. */
export function Keys() {
  const [open, setOpen] = useState<'list' | 'palette' | null>(null);
  const hasCards = useStore(cards, (all) => all.length > 0);
  const group = text.groups.everywhere;
  useKeys([
    { key: '?', label: text.list, group, run: () => setOpen('list') },
    {
      ...{ key: 'mod+k', label: text.palette, group },
      run: () => setOpen(open === 'palette' ? null : 'palette'),
    },
  ]);
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
  const close = (): void => setOpen(null);
  return (
    <>
      {hasCards && <CardKeys />}
      <Suspense>
        {open === 'list' && <KeyList onClose={close} />}
        {open === 'palette' && <Palette onClose={close} onKeys={() => setOpen('list')} />}
      </Suspense>
    </>
  );
}

function onKeyDown(event: KeyboardEvent): void {
  const { target } = event;
  const found = findKey(keys.get(), event, {
    isField: target instanceof Element && target.matches(FIELD),
    isOver: document.querySelector('[role=dialog], [role=menu]') !== null,
  });
  if (!found?.run || found.run(event) === false) return;
  event.preventDefault();
  event.stopPropagation();
}
