// oxlint-disable no-control-regex -- control characters are what it reads
/** Rows that can still change: a program moves the cursor up to redraw them. */
const MAX_ROWS = 50;
/** In characters: a longer row is not redrawn, so that each write takes a bounded time. */
const MAX_COLUMNS = 2_000;
/** In characters; a longer escape sequence is text. */
const MAX_SEQUENCE = 1_000;

/** Up to the first character that is no plain text. */
const PLAIN = /[^\n\r\b\u0007\u001b\u009b]+/y;
/** Cursor, colours and erasing; titles and links; and the others, which have no text. */
const SEQUENCE =
  /(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[PX^_][^\u001b]*\u001b\\|\u001b[ -/]*[0-OQ-WYZ\\`-~]/y;

/**
 * The text that a terminal would show of a program's output: without escape sequences, and of a
 * row that is redrawn, as progress bars are, the last state. Line ends stay as they are.
 */
export class TerminalText {
  private rows = [''];
  private row = 0;
  private column = 0;
  private rest = '';

  /** Takes output, and returns the text that can't change any more. */
  push(output: string): string {
    const text = this.rest + output;
    this.rest = '';
    for (let at = 0; at < text.length;) {
      const next = this.take(text, at);
      if (next === at) {
        this.rest = text.slice(at); // the sequence, or the line end, goes on
        break;
      }
      at = next;
    }
    return this.rows.length > 2 * MAX_ROWS ? this.release(this.rows.length - MAX_ROWS) : '';
  }

  /** Returns the rest of the text. */
  end(): string {
    const { rest } = this;
    this.rest = '';
    if (rest !== '\r') this.write(rest.replaceAll(/[\u001b\u009b]/g, ''));
    return this.rows.splice(0).join('\n');
  }

  /** @returns the index of the next character, or `at` if it can't be told yet */
  private take(text: string, at: number): number {
    PLAIN.lastIndex = at;
    const [plain] = PLAIN.exec(text) ?? [];
    if (plain !== undefined) {
      this.write(plain);
      return at + plain.length;
    }
    switch (text[at]) {
      case '\n':
        this.breakLine();
        return at + 1;
      case '\r':
        return this.takeReturn(text, at);
      case '\b':
        this.column = Math.max(0, this.column - 1);
        return at + 1;
      case '\u0007':
        return at + 1;
      default:
        return this.takeSequence(text, at);
    }
  }

  private takeReturn(text: string, at: number): number {
    if (at + 1 === text.length) return at;
    if (text[at + 1] === '\n') {
      this.rows[this.row] += '\r';
      this.breakLine();
      return at + 2;
    }
    this.column = 0;
    return at + 1;
  }

  private takeSequence(text: string, at: number): number {
    SEQUENCE.lastIndex = at;
    const [sequence, parameters = '', final] = SEQUENCE.exec(text) ?? [];
    if (sequence !== undefined) {
      if (final !== undefined) this.control(parameters, final);
      return at + sequence.length;
    }
    return text.length - at < MAX_SEQUENCE ? at : at + 1;
  }

  private breakLine(): void {
    this.row++;
    this.column = 0;
    if (this.row === this.rows.length) this.rows.push('');
  }

  private write(text: string): void {
    const row = this.rows[this.row]!;
    if (this.column >= row.length || row.length > MAX_COLUMNS)
      this.rows[this.row] = row.padEnd(Math.min(this.column, MAX_COLUMNS)) + text;
    else
      this.rows[this.row] = row.slice(0, this.column) + text + row.slice(this.column + text.length);
    this.column += text.length;
  }

  private control(parameters: string, final: string): void {
    const [first = 0, second = 0] = parameters.split(';').map((each) => Number.parseInt(each) || 0);
    const count = Math.max(1, first);
    switch (final) {
      case 'A':
        return this.moveTo(this.row - count, this.column);
      case 'B':
        return this.moveTo(this.row + count, this.column);
      case 'C':
        return this.moveTo(this.row, this.column + count);
      case 'D':
        return this.moveTo(this.row, this.column - count);
      case 'E':
        return this.moveTo(this.row + count, 0);
      case 'F':
        return this.moveTo(this.row - count, 0);
      case 'G':
        return this.moveTo(this.row, count - 1);
      case 'H':
      case 'f':
        return this.moveTo(count - 1, Math.max(1, second) - 1);
      case 'J':
        return this.eraseRows(first);
      case 'K':
        return this.eraseInRow(first);
    }
  }

  private moveTo(row: number, column: number): void {
    this.row = Math.min(Math.max(0, row), this.rows.length - 1);
    this.column = Math.min(Math.max(0, column), MAX_COLUMNS);
  }

  /** @param part 0: from the cursor on, else all */
  private eraseRows(part: number): void {
    if (part === 0) this.eraseInRow(0);
    this.rows.splice(part === 0 ? this.row + 1 : 0);
    if (part > 0) this.rows = [''];
    this.moveTo(this.row, this.column);
  }

  /** @param part 0: from the cursor on, 1: up to it, 2: all */
  private eraseInRow(part: number): void {
    const row = this.rows[this.row]!;
    const isUpTo = part === 1 && row.length <= MAX_COLUMNS;
    if (part === 0) this.rows[this.row] = row.slice(0, this.column);
    else if (part === 2) this.rows[this.row] = '';
    else if (isUpTo) this.rows[this.row] = ' '.repeat(this.column) + row.slice(this.column);
  }

  private release(count: number): string {
    this.row = Math.max(0, this.row - count);
    return this.rows
      .splice(0, count)
      .map((row) => `${row}\n`)
      .join('');
  }
}

/** The text that a terminal would show. */
export function terminalText(output: string): string {
  if (!MARKS.test(output)) return output;
  const terminal = new TerminalText();
  return terminal.push(output) + terminal.end();
}

const MARKS = /[\b\u0007\u001b\u009b]|\r(?!\n)/;
