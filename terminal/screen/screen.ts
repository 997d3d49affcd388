import { span, textOf } from '../render/span.js';
import type { Line } from '../render/span.js';
import { headOf, widthOf } from '../render/width.js';
import type { Output } from './output.js';

const LEAST_BETWEEN_MS = 50;
export const MOST_FOOTER = 4;
/** Terminals that know it show a frame at once. */
const [BEGIN, END] = ['\u001B[?2026h', '\u001B[?2026l'];

/** The footer, which is repainted: at most four lines below everything that was printed. */
export interface Footer {
  readonly lines: readonly Line[];
  /** The place of the cursor; undefined hides it. */
  readonly cursor: { readonly row: number; readonly column: number } | undefined;
}

const EMPTY: Footer = { lines: [], cursor: undefined };

/**
 * The one writer of a terminal. Lines are printed once, and stay in the scrollback; below them is a
 * footer, which is painted at most 20 times a second.
 */
export class Screen {
  private queue: Line[] = [];
  private shown: Footer = EMPTY;
  private timer: NodeJS.Timeout | undefined;
  private paintedAt = 0;
  private isPaused = false;
  private columns: number;

  constructor(
    private readonly output: Output,
    private readonly drawFooter: () => Footer,
    /** Lines that have become final; called before each paint. */
    private readonly takeLines: () => readonly Line[],
    /** Without a footer, and without any escape sequence. */
    private readonly isPlain = false,
  ) {
    this.columns = output.columns;
    output.onResize(() => this.resize());
  }

  print(lines: readonly Line[]): void {
    this.queue.push(...lines);
    this.change();
  }

  /** Something that is shown has changed. */
  change(): void {
    if (this.timer || this.isPaused) return;
    const wait = Math.max(this.paintedAt + LEAST_BETWEEN_MS - performance.now(), 0);
    this.timer = setTimeout(() => this.paint(), wait);
  }

  /** Paints what waits, takes the footer away, and leaves the terminal to another program. */
  pause(): void {
    this.paint(EMPTY);
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.change();
  }

  private paint(footer?: Footer): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.isPaused) return;
    this.paintedAt = performance.now();
    const lines = [...this.takeLines(), ...this.queue];
    this.queue = [];
    if (this.isPlain) {
      this.paintPlain(lines, footer ?? this.drawFooter());
      return;
    }
    const next = fit(footer ?? this.drawFooter(), this.columns);
    const text = this.home() + lines.map((line) => this.row(line, '\n')).join('') + this.draw(next);
    this.shown = next;
    this.output.control(`${BEGIN}${text}${END}`);
  }

  /** Prints only the lines of the footer that ask for something, once. */
  private paintPlain(lines: readonly Line[], footer: Footer): void {
    this.output.lines(lines);
    const prompt = promptOf(footer);
    const text = prompt.map(textOf).join('\n').trim();
    const isNew = text !== promptOf(this.shown).map(textOf).join('\n').trim();
    // A bare prompt waits for a message, which needs no words.
    if (isNew && text.length > 1) this.output.lines(prompt);
    this.shown = footer;
  }

  /** To the first line of the footer that is shown. */
  private home(): string {
    const row = this.shown.cursor?.row ?? Math.max(this.shown.lines.length - 1, 0);
    return `\u001B[?25l\r${row > 0 ? `\u001B[${row}A` : ''}`;
  }

  private row(line: Line, end: string): string {
    return `${this.output.painted(line)}\u001B[K${end}`;
  }

  private draw({ lines, cursor }: Footer): string {
    const rows = lines.map((line, index) => this.row(line, index < lines.length - 1 ? '\n' : ''));
    const below = '\u001B[J';
    if (!cursor) return `${rows.join('')}${below}\r${lines.length > 0 ? '' : '\u001B[?25h'}`;
    const up = lines.length - 1 - cursor.row;
    const right = cursor.column > 0 ? `\u001B[${cursor.column}C` : '';
    return `${rows.join('')}${below}\r${up > 0 ? `\u001B[${up}A` : ''}${right}\u001B[?25h`;
  }

  /** Lines of the footer that were wider than the terminal is now take several rows of it. */
  private resize(): void {
    const columns = this.output.columns;
    const row = this.shown.cursor?.row ?? this.shown.lines.length - 1;
    const above = this.shown.lines.slice(0, Math.max(row, 0));
    const rows = above.reduce((sum, line) => sum + rowsOf(line, columns), 0);
    const column = this.shown.cursor?.column ?? 0;
    const moved = rows + Math.floor(column / columns);
    if (columns < this.columns && moved !== row)
      this.shown = { ...this.shown, cursor: { row: moved, column: column % columns } };
    this.columns = columns;
    this.change();
  }
}

function promptOf({ lines, cursor }: Footer): readonly Line[] {
  return lines.slice(cursor?.row ?? -1);
}

function rowsOf(line: Line, columns: number): number {
  const width = line.reduce((sum, { text }) => sum + widthOf(text), 0);
  return Math.max(Math.ceil(width / columns), 1);
}

/** Each line on one row, never in its last column, where terminals differ. */
function fit({ lines, cursor }: Footer, columns: number): Footer {
  const room = columns - 1;
  const cut = lines.slice(0, MOST_FOOTER).map((line) => cutLine(line, room));
  return { lines: cut, cursor: cursor && { ...cursor, column: Math.min(cursor.column, room) } };
}

function cutLine(line: Line, room: number): Line {
  let left = room;
  return line.flatMap((it) => {
    if (left <= 0) return [];
    const width = widthOf(it.text);
    const text = width <= left ? it.text : headOf(it.text, left);
    left -= width;
    return [span(text, it.sgr)];
  });
}
