import { toKeys } from './keys.js';

describe(toKeys.name, () => {
  it.each([
    ['a', { sequence: 'a', name: 'a' }, [{ name: 'a', text: 'a' }]],
    ['A', { sequence: 'A', name: 'a', shift: true }, [{ name: 'A', text: 'A' }]],
    ['👍', { sequence: '👍' }, [{ name: '👍', text: '👍' }]],
    ['\r', { sequence: '\r', name: 'return' }, [{ name: 'return' }]],
    ['\n', { sequence: '\n', name: 'enter' }, [{ name: 'ctrl-j' }]],
    [undefined, { sequence: '\u001B', name: 'escape', meta: true }, [{ name: 'escape' }]],
    [
      undefined,
      { sequence: '\u001B\u001B', name: 'escape', meta: true },
      [{ name: 'escape' }, { name: 'escape' }],
    ],
    ['\u0003', { sequence: '\u0003', name: 'c', ctrl: true }, [{ name: 'ctrl-c' }]],
    [undefined, { sequence: '\u001B[1;5C', name: 'right', ctrl: true }, [{ name: 'ctrl-right' }]],
    [undefined, { sequence: '\u001Bb', name: 'b', meta: true }, [{ name: 'meta-b' }]],
    [undefined, { sequence: '\u001B[99~' }, []],
  ])('%j', (character, pressed, keys) => {
    expect(toKeys(character, pressed)).toEqual(keys);
  });
});
