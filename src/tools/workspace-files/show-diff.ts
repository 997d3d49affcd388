import { structuredPatch } from 'diff';
import type { StructuredPatchHunk } from 'diff';
import { showUnseen } from '../text/show-unseen.js';
import { cutLine } from '../text/cut-text.js';
import type { Cut } from '../../kernel/text/cut-text.js';

export interface Versions {
  readonly path: string;
  /** undefined: there is no file. */
  readonly before: string | undefined;
  readonly after: string;
}

export interface Diff {
  readonly added: number;
  readonly removed: number;
  /** Unified diff, truncated if it is long. */
  readonly text: string;
}

type Counts = Pick<Diff, 'added' | 'removed'>;
type Hunk = Pick<StructuredPatchHunk, 'oldStart' | 'oldLines' | 'newStart' | 'newLines' | 'lines'>;

/**
 * Bounds on the search for the smallest diff, in milliseconds and lines. Beyond them a correct diff
 * is shown that is not the smallest.
 */
const MAX_TIME_MS = 100;
const MAX_EDITS = 2_000;
/**
 * Limits in UTF-16 code units: of both texts for that search, of the diff shown, and of one of its
 * lines.
 */
const MAX_SEARCHED = 400_000;
const MAX_SHOWN = 8_000;
const MAX_LINE = 300;
const CONTEXT = 3;

/**
 * Shows the changes as a diff, for people. Differences of line endings are ignored.
 * @param cut cuts a long line
 */
export function showDiff({ path, before, after }: Versions, cut: Cut): Diff {
  const [old, now] = [withLf(before ?? ''), withLf(after)];
  const hunks = smallestHunks(old, now);
  const { counts, shown } = hunks
    ? { counts: countLines(hunks), shown: show(hunks, cut) }
    : showOneHunk(old, now, cut);
  const names = `--- ${before === undefined ? '/dev/null' : path}\n+++ ${path}`;
  return { ...counts, text: [names, ...shown].join('\n') };
}

function smallestHunks(old: string, now: string): readonly Hunk[] | undefined {
  if (old.length + now.length > MAX_SEARCHED) return undefined;
  const limits = { context: CONTEXT, timeout: MAX_TIME_MS, maxEditLength: MAX_EDITS };
  return structuredPatch('', '', old, now, undefined, undefined, limits)?.hunks;
}

/**
 * Shows a single hunk from the first line that differs to the last. It may have millions of lines:
 * no text is built for those that are not shown.
 */
function showOneHunk(old: string, now: string, cut: Cut): { counts: Counts; shown: string[] } {
  const [before, after] = [old.split('\n'), now.split('\n')];
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start++;
  let same = 0;
  while (same < shortest - start && before.at(-1 - same) === after.at(-1 - same)) same++;
  const [removed, added] = [before.length - same - start, after.length - same - start];
  const first = (lines: string[], count: number, sign: string): string[] =>
    lines.slice(start, start + Math.min(count, MAX_SHOWN)).map((line) => sign + line);
  const lines = [...first(before, removed, '-'), ...first(after, added, '+')];
  const hunk = {
    ...{ oldStart: start + 1, oldLines: removed },
    ...{ newStart: start + 1, newLines: added },
    lines,
  };
  return { counts: { added, removed }, shown: show([hunk], cut, removed + added - lines.length) };
}

function countLines(hunks: readonly Hunk[]): Counts {
  let [added, removed] = [0, 0];
  for (const { lines } of hunks)
    for (const line of lines)
      if (line.startsWith('+')) added++;
      else if (line.startsWith('-')) removed++;
  return { added, removed };
}

/** `unlisted`: the number of further lines that the hunks do not hold. */
function show(hunks: readonly Hunk[], cut: Cut, unlisted = 0): string[] {
  const shown: string[] = [];
  let left = MAX_SHOWN;
  let hidden = unlisted;
  for (const hunk of hunks)
    for (const line of [headOf(hunk), ...hunk.lines]) {
      const visible = left > 0 ? showLine(line, cut) : '';
      left -= visible.length + 1;
      if (left > 0) shown.push(visible);
      else hidden++;
    }
  return hidden === 0 ? shown : [...shown, `[… ${hidden} more lines of the difference]`];
}

/** In the unified format, an empty range starts at the line before. */
function headOf({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  const from = oldLines === 0 ? oldStart - 1 : oldStart;
  const to = newLines === 0 ? newStart - 1 : newStart;
  return `@@ -${from},${oldLines} +${to},${newLines} @@`;
}

function showLine(line: string, cut: Cut): string {
  return showUnseen(line.length <= MAX_LINE ? line : cutLine(line, MAX_LINE, cut));
}

function withLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
