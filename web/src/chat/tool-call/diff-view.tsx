import { diffWordsWithSpace } from 'diff';
import { useMemo, useState } from 'react';
import { text } from '../../strings/chat';
import { visible } from '../../text/visible';
import css from './diff-view.module.css';

const FIRST_LINES = 40;
/** Longer lines are compared as wholes. */
const MOST_WORDS = 400;

interface Line {
  readonly kind: 'add' | 'remove' | 'same' | 'hunk' | 'file';
  readonly text: string;
  /** Where the line differs from that in its place: what is marked. */
  readonly parts?: readonly { readonly text: string; readonly isChanged: boolean }[];
}

/** A unified diff, with the words that differ. Never cut where a person decides over it. */
export function DiffView({ diff, isWhole = false }: { diff: string; isWhole?: boolean }) {
  const lines = useMemo(() => markWords(linesOf(diff)), [diff]);
  const [isAll, setAll] = useState(isWhole);
  const shown = isAll ? lines : lines.slice(0, FIRST_LINES);
  return (
    <div className={css['diff']} tabIndex={0} role="group" aria-label="Diff">
      <pre>
        {shown.map((line, index) => (
          <span key={index} data-kind={line.kind}>
            {line.parts
              ? line.parts.map((part, at) =>
                  part.isChanged ? <mark key={at}>{visible(part.text)}</mark> : visible(part.text),
                )
              : visible(line.text)}
            {'\n'}
          </span>
        ))}
      </pre>
      {shown.length < lines.length && (
        <button type="button" onClick={() => setAll(true)}>
          {text.lines(lines.length - shown.length)}
        </button>
      )}
    </div>
  );
}

function linesOf(diff: string): readonly Line[] {
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line): Line => {
      if (/^(?:\+\+\+|---) /.test(line) || line.startsWith('diff '))
        return { kind: 'file', text: line };
      if (line.startsWith('@@')) return { kind: 'hunk', text: line };
      if (line.startsWith('+')) return { kind: 'add', text: line };
      if (line.startsWith('-')) return { kind: 'remove', text: line };
      return { kind: 'same', text: line };
    });
}

/** Removed lines that as many added ones follow are compared with them one by one. */
function markWords(lines: readonly Line[]): readonly Line[] {
  const marked = [...lines];
  for (let at = 0; at < marked.length;) {
    const removed = run(marked, at, 'remove');
    const added = run(marked, at + removed, 'add');
    if (removed > 0 && removed === added)
      for (let n = 0; n < removed; n++) markPair(marked, at + n, at + removed + n);
    at += Math.max(removed + added, 1);
  }
  return marked;
}

function run(lines: readonly Line[], from: number, kind: Line['kind']): number {
  let count = 0;
  while (lines[from + count]?.kind === kind) count++;
  return count;
}

function markPair(lines: Line[], old: number, next: number): void {
  const [before, after] = [lines[old]!, lines[next]!];
  if (before.text.length > MOST_WORDS || after.text.length > MOST_WORDS) return;
  const parts = diffWordsWithSpace(before.text.slice(1), after.text.slice(1));
  const side = (sign: string, own: 'added' | 'removed', other: 'added' | 'removed') => [
    { text: sign, isChanged: false },
    ...parts
      .filter((part) => !part[other])
      .map((part) => ({ text: part.value, isChanged: part[own] })),
  ];
  lines[old] = { ...before, parts: side('-', 'removed', 'added') };
  lines[next] = { ...after, parts: side('+', 'added', 'removed') };
}
