import { cutLine } from '../text/cut-text.js';
import type { Cut } from '../../kernel/text/cut-text.js';

export interface PageOptions {
  /** The first line, from 1. */
  readonly offset: number;
  /** Maximum number of lines. */
  readonly limit: number;
  /** Maximum UTF-16 code units; one line, or its beginning, is always included. */
  readonly room: number;
  /** Cuts a long line. */
  readonly cut: Cut;
}

/** Some lines of a text, numbered as in `cat -n`. */
export interface Page {
  readonly text: string;
  /** The number of the last line included; less than the offset if there is none. */
  readonly last: number;
  /** Number of lines of the whole text. */
  readonly total: number;
  /** True if the page ends because the room is used up. */
  readonly is_full: boolean;
}

/** Maximum UTF-16 code units shown of a line. */
const MAX_LINE = 2_000;
/** Characters reserved for a line's number and the note on its truncated rest. */
const LINE_ROOM = 50;

/**
 * A line ends with LF or CRLF. Text after the last line ending counts as a line if it is not empty.
 */
export function numberLines(text: string, { offset, limit, room, cut }: PageOptions): Page {
  const most = Math.max(1, Math.min(MAX_LINE, room - LINE_ROOM));
  const shown: string[] = [];
  let left = room;
  let number = 0;
  let is_full = false;
  for (const line of eachLine(text)) {
    number++;
    if (number < offset || shown.length >= limit || is_full) continue;
    const numbered = numberLine(number, line, { most, cut });
    left -= numbered.length + 1;
    is_full = left < 0 && shown.length > 0;
    if (!is_full) shown.push(numbered);
  }
  return { text: shown.join('\n'), last: offset - 1 + shown.length, total: number, is_full };
}

/** `most`: maximum UTF-16 code units shown of the line. */
export function numberLine(
  number: number,
  line: string,
  { most, cut }: { readonly most: number; readonly cut: Cut },
): string {
  const start = `${String(number).padStart(6)}\t`;
  if (line.length <= most) return start + line;
  return start + cutLine(line, most, cut);
}

function* eachLine(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const found = text.indexOf('\n', at);
    const end = found === -1 ? text.length : found;
    yield text.slice(at, text[end - 1] === '\r' && found !== -1 && end > at ? end - 1 : end);
    at = end + 1;
  }
}
