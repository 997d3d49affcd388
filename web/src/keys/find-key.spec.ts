import { describe, expect, it } from '@jest/globals';
import { findKey } from './find-key';
import type { Key } from './registry';

const key = (name: string, more: Partial<Key> = {}): Key => ({
  ...{ key: name, label: '', group: '', run: () => undefined },
  ...more,
});
const A = key('a');
const PALETTE = key('mod+k');
const UP = key('ArrowUp', { isForFields: true });
const KEYS = [key('a'), A, PALETTE, UP];
const pressed = (name: string, more: object = {}) => ({
  ...{ key: name, ctrlKey: false, metaKey: false, altKey: false, repeat: false },
  ...{ isComposing: false, ...more },
});
const HERE = { isField: false, isOver: false };
const IN_FIELD = { isField: true, isOver: false };
const OVER = { isField: false, isOver: true };

describe(findKey.name, () => {
  it('finds the last key of a name', () => {
    expect(findKey(KEYS, pressed('a'), HERE)).toBe(A);
  });

  it.each([
    ['in a field', pressed('a'), IN_FIELD],
    ['over a dialog', pressed('a'), OVER],
    ['held down', pressed('a', { repeat: true }), HERE],
    ['with Alt', pressed('a', { altKey: true }), HERE],
    ['with Ctrl', pressed('a', { ctrlKey: true }), HERE],
    ['of an input method', pressed('a', { isComposing: true }), HERE],
  ])('does not take one %s', (_, event, place) => {
    expect(findKey(KEYS, event, place)).toBeUndefined();
  });

  it('leaves a key alone that is only listed', () => {
    const listed: Key = { key: 'a', label: '', group: '' };
    expect(findKey([...KEYS, listed], pressed('a'), HERE)).toBe(A);
    expect(findKey([listed], pressed('a'), HERE)).toBeUndefined();
  });

  it('takes modifiers anywhere, and keys for fields there', () => {
    expect(findKey(KEYS, pressed('K', { metaKey: true }), IN_FIELD)).toBe(PALETTE);
    expect(findKey(KEYS, pressed('k', { ctrlKey: true }), OVER)).toBe(PALETTE);
    expect(findKey(KEYS, pressed('ArrowUp'), IN_FIELD)).toBe(UP);
  });
});
