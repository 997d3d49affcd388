/** Characters reserved for the note in the middle. */
const NOTE_ROOM = 64;

export interface CutNote {
  /** The path at which the tool `read` opens the whole text. */
  readonly path?: string;
  /** True if the text was already truncated before. */
  readonly is_part?: boolean;
}

/**
 * Truncates a text to `limit` UTF-16 code units: its head and its tail, and between them a note
 * that says how many are left out and where the whole text can be read. Splits no surrogate pair.
 */
export function cutOutput(
  text: string,
  limit: number,
  { path, is_part = false }: CutNote = {},
): { text: string; truncated: boolean } {
  if (text.length <= limit) return { text, truncated: false };
  const about = is_part ? 'more than ' : '';
  const rest = is_part ? 'more of them' : 'them';
  const where = path === undefined ? '' : `; to see ${rest}, open ${path} with the tool read`;
  const room = Math.max(limit - NOTE_ROOM - about.length - where.length, 0);
  const head = text.slice(0, wholeBefore(text, Math.ceil(room / 2)));
  const tail = text.slice(wholeAfter(text, text.length - Math.floor(room / 2)));
  const cut = text.length - head.length - tail.length;
  return { text: `${head}\n[… ${about}${cut} characters cut${where} …]\n${tail}`, truncated: true };
}

function wholeBefore(text: string, end: number): number {
  return splitsPair(text, end) ? end - 1 : end;
}

function wholeAfter(text: string, start: number): number {
  return splitsPair(text, start) ? start + 1 : start;
}

function splitsPair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
