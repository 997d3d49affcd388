import { span, textOf } from '../render/span.js';
import { draftOf, drawDraft, edit, EMPTY_DRAFT, moveLine } from './editor.js';
import type { Draft } from './editor.js';

function typed(...keys: string[]): Draft {
  return keys.reduce((draft, name) => {
    const key = name.length === 1 ? { name, text: name } : { name };
    return edit(draft, key) ?? draft;
  }, EMPTY_DRAFT);
}

describe(edit.name, () => {
  it.each([
    [['a', 'b', 'left', 'x'], 'axb', 2],
    [['a', 'b', 'ctrl-a', 'x', 'ctrl-e', 'y'], 'xaby', 4],
    [['a', 'b', 'backspace'], 'a', 1],
    [['a', ' ', 'b', 'c', 'ctrl-w'], 'a ', 2],
    [['a', 'b', 'ctrl-u', 'ctrl-y', 'ctrl-y'], 'abab', 4],
    [['a', 'b', 'home', 'ctrl-k'], '', 0],
    [['a', 'ctrl-j', 'b'], 'a\nb', 3],
    [['a', ' ', 'b', 'meta-b', 'x'], 'a xb', 3],
    [['a', 'left', 'delete'], '', 0],
  ])('after %j', (keys, text, at) => {
    expect(typed(...keys)).toMatchObject({ text, at });
  });

  it('moves and deletes whole characters', () => {
    const draft = draftOf('a👩‍👩‍👧');
    expect(edit(draft, { name: 'backspace' })?.text).toBe('a');
    expect(edit(draft, { name: 'left' })?.at).toBe(1);
  });

  it('knows nothing of other keys', () => {
    expect(edit(EMPTY_DRAFT, { name: 'f5' })).toBeUndefined();
  });
});

it('moves between lines, and leaves the first and the last to the history', () => {
  const draft = { ...draftOf('one\ntwo'), at: 5 };
  expect(moveLine(draft, -1)?.at).toBe(1);
  expect(moveLine(draft, 1)).toBeUndefined();
  expect(moveLine({ ...draft, at: 2 }, -1)).toBeUndefined();
  expect(moveLine({ ...draft, at: 2 }, 1)?.at).toBe(6);
});

describe(drawDraft.name, () => {
  const look = (draft: Draft, rows: number) => {
    const drawn = drawDraft(draft, { prompt: [span('> ')], width: 10, rows });
    return { ...drawn, lines: drawn.lines.map(textOf) };
  };

  it.each([
    ['', ['> '], 0, 2],
    ['abc', ['> abc'], 0, 5],
    ['abcdefghi', ['> abcdefg', '  hi'], 1, 4],
    ['日本語でし', ['> 日本語', '  でし'], 1, 6],
    ['a\nb\nc', ['  b', '  c'], 1, 3],
  ])('shows the rows around the cursor of %j', (text, lines, row, column) => {
    expect(look(draftOf(text), 2)).toEqual({ lines, row, column });
  });

  it('shows a text of a megabyte at once', () => {
    expect(look(draftOf('x'.repeat(1_000_000)), 2).lines).toHaveLength(2);
  });
});
