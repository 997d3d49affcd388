import { ToolFault } from '../files/tool-fault.js';
import { numberLine } from '../read/number-lines.js';
import { nearestLines } from './nearest-lines.js';
import type { NearLines } from './nearest-lines.js';
import { MAX_PLACES } from './replace-text.js';
import type { Places } from './replace-text.js';
import type { Cut } from '../text/cut-text.js';

/** Maximum number of lines shown per place. */
const MAX_LINES = 8;
const MAX_LINE = 200;
/** The line numbers that `read` puts before the lines. */
const NUMBERS = /^ *\d+\t/gm;

/** The text of a file, and what cuts its long lines. */
interface SearchedText {
  readonly text: string;
  readonly cut: Cut;
}

export function noMatch(
  path: string,
  { text, old_string, cut }: SearchedText & { readonly old_string: string },
): ToolFault {
  const plain = text.replaceAll('\r\n', '\n');
  const wanted = old_string.replaceAll('\r\n', '\n');
  const bare = wanted.replace(NUMBERS, '');
  const near = nearestLines(plain, bare);
  const said = [`old_string is not in ${path}.`];
  if (bare !== wanted) said.push('Leave out the line numbers that read puts before the lines.');
  if (near.length > 0) said.push('The nearest to it:');
  for (const place of near) said.push(showPlace(place, cut));
  said.push('Copy the text exactly as it is in the file, white space included, and try again.');
  return new ToolFault(said.join('\n'));
}

export function severalMatches(
  path: string,
  { text, places: { lines, count }, cut }: SearchedText & { readonly places: Places },
): ToolFault {
  const all = text.split(/\r?\n/, Math.max(...lines));
  const places = [...new Set(lines)].map((line) =>
    numberLine(line, all[line - 1]!, { most: MAX_LINE, cut }),
  );
  const more = count > MAX_PLACES ? `\n[… and ${count - MAX_PLACES} more]` : '';
  return new ToolFault(
    `old_string is in ${path} ${count} times, and has to be there once. It begins in these lines:\n${places.join('\n')}${more}\nTake more of the text around the one that is meant, or set replace_all.`,
  );
}

function showPlace({ first, lines, is_spaced }: NearLines, cut: Cut): string {
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line, at) => numberLine(first + at, line, { most: MAX_LINE, cut }));
  if (lines.length > MAX_LINES) shown.push(`[… ${lines.length - MAX_LINES} more lines]`);
  const last = first + lines.length - 1;
  const where = last === first ? `Line ${first}` : `Lines ${first} to ${last}`;
  const remark = is_spaced ? ' (only white space differs)' : '';
  return `${where}${remark}:\n${shown.join('\n')}`;
}
