import { diffWordsWithSpace } from 'diff';
import { span, wrap } from './span.js';
import type { Line } from './span.js';
import { SGR } from './theme.js';

/** Longer lines are coloured as a whole. */
const MOST_WORDS = 2_000;
const REVERSE = '7';

export function isDiff(text: string): boolean {
  return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(text);
}

/** A unified diff in colours; in a line that replaces one, the words that differ are marked. */
export function drawDiff(diff: string, width: number): Line[] {
  const lines = diff.split('\n');
  const drawn: Line[] = [];
  for (let at = 0; at < lines.length;) {
    const removed = runOf(lines, at, '-');
    const added = runOf(lines, at + removed.length, '+');
    if (removed.length > 0 && removed.length === added.length) {
      const pairs = removed.map((line, index) => drawPair(line, added[index]!));
      drawn.push(...pairs.map(([before]) => before), ...pairs.map(([, now]) => now));
      at += removed.length + added.length;
    } else drawn.push(drawLine(lines[at++]!));
  }
  const hang = { first: [], rest: [span('  ')] };
  return drawn.flatMap((line) => wrap(line, width, hang));
}

function runOf(lines: readonly string[], from: number, mark: '-' | '+'): string[] {
  const run: string[] = [];
  for (let at = from; at < lines.length && isChange(lines[at]!, mark); at++) run.push(lines[at]!);
  return run;
}

function isChange(line: string, mark: '-' | '+'): boolean {
  return line.startsWith(mark) && !/^(?:---|\+\+\+) /.test(line);
}

function drawLine(line: string): Line {
  if (/^(?:---|\+\+\+) /.test(line)) return [span(line, SGR.bold)];
  if (line.startsWith('@@')) return [span(line, SGR.cyan)];
  if (line.startsWith('+')) return [span(line, SGR.green)];
  if (line.startsWith('-')) return [span(line, SGR.red)];
  return [span(line)];
}

function drawPair(before: string, now: string): readonly [Line, Line] {
  if (before.length + now.length > MOST_WORDS) return [drawLine(before), drawLine(now)];
  const parts = diffWordsWithSpace(before.slice(1), now.slice(1));
  const kept = parts.filter((it) => !it.added && !it.removed);
  const common = kept.reduce((sum, { value }) => sum + value.trim().length, 0);
  // Lines that share little are two lines, not one that was changed.
  if (common * 3 < Math.min(before.length, now.length)) return [drawLine(before), drawLine(now)];
  const draw = (mark: string, sgr: string, own: 'added' | 'removed', other: typeof own): Line => [
    span(mark, sgr),
    ...parts
      .filter((part) => !part[other])
      .map((part) => span(part.value, part[own] ? `${sgr};${REVERSE}` : sgr)),
  ];
  return [draw('-', SGR.red, 'removed', 'added'), draw('+', SGR.green, 'added', 'removed')];
}
