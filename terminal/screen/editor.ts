import { clustersOf, widthOf } from '../render/width.js';
import { span } from '../render/span.js';
import type { Line } from '../render/span.js';
import type { Key } from './keys.js';

/** The text that is being typed, and the place in it, in UTF-16 units. */
export interface Draft {
  readonly text: string;
  readonly at: number;
  /** The text that was deleted last, for Ctrl-Y. */
  readonly killed: string;
}

export const EMPTY_DRAFT: Draft = { text: '', at: 0, killed: '' };

export function draftOf(text: string, killed = ''): Draft {
  return { text, at: text.length, killed };
}

/** The draft after a key that moves or changes it; undefined for a key that does neither. */
export function edit(draft: Draft, key: Key): Draft | undefined {
  if (key.text !== undefined) return insert(draft, key.text);
  return EDITS[key.name]?.(draft);
}

export function insert({ text, at, killed }: Draft, more: string): Draft {
  return { text: text.slice(0, at) + more + text.slice(at), at: at + more.length, killed };
}

const EDITS: Readonly<Record<string, (draft: Draft) => Draft>> = {
  left: (draft) => move(draft, before(draft)),
  right: (draft) => move(draft, after(draft)),
  'ctrl-b': (draft) => move(draft, before(draft)),
  'ctrl-f': (draft) => move(draft, after(draft)),
  'ctrl-left': (draft) => move(draft, wordBefore(draft)),
  'meta-left': (draft) => move(draft, wordBefore(draft)),
  'meta-b': (draft) => move(draft, wordBefore(draft)),
  'ctrl-right': (draft) => move(draft, wordAfter(draft)),
  'meta-right': (draft) => move(draft, wordAfter(draft)),
  'meta-f': (draft) => move(draft, wordAfter(draft)),
  home: (draft) => move(draft, lineStart(draft)),
  end: (draft) => move(draft, lineEnd(draft)),
  'ctrl-a': (draft) => move(draft, lineStart(draft)),
  'ctrl-e': (draft) => move(draft, lineEnd(draft)),
  backspace: (draft) => remove(draft, before(draft), draft.at),
  'ctrl-h': (draft) => remove(draft, before(draft), draft.at),
  delete: (draft) => remove(draft, draft.at, after(draft)),
  'ctrl-w': (draft) => kill(draft, wordBefore(draft), draft.at),
  'meta-backspace': (draft) => kill(draft, wordBefore(draft), draft.at),
  'meta-d': (draft) => kill(draft, draft.at, wordAfter(draft)),
  'ctrl-u': (draft) => kill(draft, lineStart(draft), draft.at),
  'ctrl-k': (draft) => kill(draft, draft.at, Math.max(lineEnd(draft), after(draft))),
  'ctrl-y': (draft) => insert(draft, draft.killed),
  'meta-return': (draft) => insert(draft, '\n'),
  'shift-return': (draft) => insert(draft, '\n'),
  'ctrl-j': (draft) => insert(draft, '\n'),
};

/** Moves a line up or down; undefined at the first or last, where the history is meant. */
export function moveLine(draft: Draft, by: -1 | 1): Draft | undefined {
  const start = lineStart(draft);
  const column = draft.at - start;
  if (by < 0) {
    if (start === 0) return undefined;
    const above = draft.text.lastIndexOf('\n', start - 2) + 1;
    return move(draft, Math.min(above + column, start - 1));
  }
  const end = lineEnd(draft);
  if (end === draft.text.length) return undefined;
  const below = end + 1;
  return move(draft, Math.min(below + column, lineEnd({ ...draft, at: below })));
}

function move(draft: Draft, at: number): Draft {
  return { ...draft, at };
}

function remove({ text, killed }: Draft, from: number, to: number): Draft {
  return { text: text.slice(0, from) + text.slice(to), at: from, killed };
}

function kill(draft: Draft, from: number, to: number): Draft {
  const killed = draft.text.slice(from, to);
  return killed === '' ? draft : { ...remove(draft, from, to), killed };
}

/** More than the longest character that people type. */
const NEAR = 64;

function before({ text, at }: Draft): number {
  return at - (clustersOf(text.slice(Math.max(at - NEAR, 0), at)).at(-1)?.length ?? 0);
}

function after({ text, at }: Draft): number {
  return at + (clustersOf(text.slice(at, at + NEAR))[0]?.length ?? 0);
}

function wordBefore({ text, at }: Draft): number {
  let to = at;
  while (to > 0 && isGap(text[to - 1]!)) to--;
  while (to > 0 && !isGap(text[to - 1]!)) to--;
  return to;
}

function wordAfter({ text, at }: Draft): number {
  let to = at;
  while (to < text.length && isGap(text[to]!)) to++;
  while (to < text.length && !isGap(text[to]!)) to++;
  return to;
}

function isGap(character: string): boolean {
  return /[\s/.,;:()[\]{}'"`=]/.test(character);
}

function lineStart({ text, at }: Draft): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd({ text, at }: Draft): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

export interface DrawnDraft {
  readonly lines: readonly Line[];
  readonly row: number;
  readonly column: number;
}

/** The rows around the cursor, at most so many, behind the prompt. */
export function drawDraft(
  { text, at }: Draft,
  { prompt, width, rows }: { prompt: Line; width: number; rows: number },
): DrawnDraft {
  const lead = prompt.reduce((sum, it) => sum + widthOf(it.text), 0);
  const room = Math.max(width - lead - 1, 1);
  // The text that can be on these rows is near the cursor, however long the draft is.
  const near = room * rows * 4;
  const start = Math.max(text.lastIndexOf('\n', Math.max(at - near, 0)) + 1, at - near, 0);
  const shown = text.slice(start, at + near);
  const all = rowsOf(shown, room);
  const cursor = rowsOf(shown.slice(0, at - start), room);
  const row = cursor.length - 1;
  const column = widthOf(cursor[row]!);
  const first = Math.max(Math.min(row - rows + 1 + (row < all.length - 1 ? 1 : 0), row), 0);
  const from = row - first >= rows ? row - rows + 1 : first;
  const visible = all.slice(from, from + rows);
  const hang = span(' '.repeat(lead));
  const lines = visible.map((line, index) => [
    ...(from + index === 0 && start === 0 ? prompt : [hang]),
    span(line),
  ]);
  return { lines, row: row - from, column: lead + column };
}

function rowsOf(text: string, room: number): string[] {
  return text.split('\n').flatMap((line) => {
    const rows = [''];
    let used = 0;
    for (const cluster of clustersOf(line)) {
      const width = widthOf(cluster);
      if (used + width > room) {
        rows.push('');
        used = 0;
      }
      rows[rows.length - 1] += cluster;
      used += width;
    }
    return rows;
  });
}
