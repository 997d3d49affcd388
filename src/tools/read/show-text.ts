import type { TextContent } from '../workspace-files/text-content.js';
import { ToolFault } from '../workspace-files/tool-fault.js';
import { numberLines } from './number-lines.js';
import type { Page, PageOptions } from './number-lines.js';
import { cutText } from '../../kernel/text/cut-text.js';

/** Longer lines are broken: otherwise they would be truncated, and their rest could not be read. */
const MAX_LINE = 1_500;

/** Characters reserved for the notes below the lines. */
const NOTE_ROOM = 300;

export interface ShownText {
  readonly text: string;
  /** True if there was no room for all the lines requested. */
  readonly truncated: boolean;
}

/**
 * Returns numbered lines, and notes below them.
 * @throws ToolFault if there is no such line
 */
export function showText(
  path: string,
  { text, has_mark }: TextContent,
  { offset, limit, room, cut }: PageOptions,
): ShownText {
  const left = Math.max(room - NOTE_ROOM, Math.floor(room / 2));
  const page = numberLines(text, { offset, limit, room: left, cut });
  if (offset > 1 && offset > page.total)
    throw new ToolFault(`${path} has only ${page.total} lines; there is no line ${offset}.`);
  const notes = [...whereIn(page, offset), ...oddities(text, has_mark)];
  const below = notes.map((note) => `[${note}]`);
  return { text: [page.text, ...below].filter(Boolean).join('\n'), truncated: page.is_full };
}

function whereIn({ last, total }: Page, offset: number): string[] {
  if (total === 0) return ['The file is empty.'];
  if (last < total)
    return [`Lines ${offset} to ${last} of ${total}. For more, read on with offset ${last + 1}.`];
  return offset > 1 ? [`Lines ${offset} to ${last}; these are the last.`] : [];
}

/**
 * Properties of the text that numbered lines do not show, and that a model has to know before it
 * writes the whole file.
 */
function oddities(text: string, hasMark: boolean): string[] {
  const notes: string[] = [];
  if (hasMark) notes.push('The file begins with a byte order mark.');
  if (text.includes('\r\n')) notes.push('Its lines end in CRLF; edit keeps that.');
  if (text !== '' && !text.endsWith('\n')) notes.push('The last line has no newline at its end.');
  return notes;
}

/**
 * Shows the output of an earlier call in the format of a file.
 * @throws ToolFault if there is no such output or line
 */
export function showOutput(
  path: string,
  output: string | undefined,
  options: PageOptions,
): ShownText {
  if (output === undefined)
    throw new ToolFault(
      `${path} is not there: no earlier call of this chat has that id. Make the call again if its output is needed.`,
    );
  const text = output.split('\n').flatMap(broken).join('\n');
  return showText(path, { text: `${text}\n`, has_mark: false }, options);
}

function broken(line: string): string[] {
  const parts: string[] = [];
  let rest = line;
  for (; rest.length > MAX_LINE; rest = rest.slice(parts.at(-1)!.length))
    parts.push(cutText(rest, MAX_LINE));
  return [...parts, rest];
}
