import type { Key } from './registry';

type Pressed = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'repeat' | 'isComposing'
>;

export interface Place {
  /** The focus is where text or a choice is entered. */
  readonly isField: boolean;
  /** A dialog or a menu is open, which has keys of its own. */
  readonly isOver: boolean;
}

/** The key that was meant, if it works here. */
export function findKey(
  keys: readonly Key[],
  pressed: Pressed,
  { isField, isOver }: Place,
): Key | undefined {
  if (pressed.isComposing || pressed.repeat || pressed.altKey) return undefined;
  const hasModifier = pressed.ctrlKey || pressed.metaKey;
  const name = hasModifier ? `mod+${pressed.key.toLowerCase()}` : pressed.key;
  const found = keys.findLast(({ key, run }) => key === name && run);
  if (!found || (isOver && !hasModifier)) return undefined;
  return isField && !hasModifier && found.isForFields !== true ? undefined : found;
}
