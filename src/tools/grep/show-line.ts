/** Characters of a line that are shown, and those of them before the match. */
const MAX_LENGTH = 300;
const BEFORE = 100;

/** A line, or of a long one what is around the match. */
export function showLine(line: string, match: number): string {
  if (line.length <= MAX_LENGTH) return line;
  const start = Math.max(0, Math.min(match - BEFORE, line.length - MAX_LENGTH));
  const end = start + MAX_LENGTH;
  const shown = line.slice(start, end).toWellFormed();
  return `${start > 0 ? '…' : ''}${shown}${end < line.length ? '…' : ''}`;
}
