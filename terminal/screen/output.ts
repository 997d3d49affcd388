import type { Environment } from '../environment.js';
import { jsonLine, sanitize } from '../render/sanitize.js';
import type { Line } from '../render/span.js';
import { paint } from '../render/span.js';
import { withAsciiSigns } from '../render/theme.js';

/** The stream that a program prints to. Once its reader has left, printing does nothing. */
export class Output {
  /** True once the reader has left. */
  isClosed = false;
  /** Resolves when the reader leaves. */
  readonly closed: Promise<void>;

  constructor(
    private readonly stream: NodeJS.WriteStream,
    private readonly abilities: Pick<Environment, 'hasColor' | 'isUnicode'>,
  ) {
    this.closed = new Promise((resolve) => {
      const close = (): void => {
        this.isClosed = true;
        resolve();
      };
      stream.on('error', close);
      stream.on('close', close);
    });
  }

  get isTerminal(): boolean {
    return this.stream.isTTY;
  }

  /** Infinite for a file or a pipe, whose lines are not wrapped. */
  get columns(): number {
    return this.stream.isTTY ? Math.max(this.stream.columns || 80, 2) : Infinity;
  }

  get rows(): number {
    return this.stream.isTTY ? this.stream.rows || 24 : 24;
  }

  /** Text from anywhere: a terminal gets no sequences of it. */
  write(text: string): void {
    this.control(this.isTerminal ? this.signed(sanitize(text)) : text);
  }

  /** Writes a line of JSON, with what a terminal could take for more than text escaped. */
  json(value: unknown): void {
    this.control(`${jsonLine(value)}\n`);
  }

  line(line: Line): void {
    this.control(`${this.painted(line)}\n`);
  }

  /** With colours and signs as they can be shown. */
  painted(line: Line): string {
    return this.signed(paint(line, this.abilities.hasColor && this.isTerminal));
  }

  private signed(text: string): string {
    return this.abilities.isUnicode ? text : withAsciiSigns(text);
  }

  /** Escape sequences of our own, too. */
  control(text: string): void {
    if (!this.isClosed) this.stream.write(text);
  }

  lines(lines: readonly Line[]): void {
    for (const line of lines) this.line(line);
  }

  /** Resolves when all was taken, so that a process may end. */
  async flush(): Promise<void> {
    if (this.isClosed) return;
    await Promise.race([
      new Promise<void>((resolve) => this.stream.write('', () => resolve())),
      this.closed,
    ]);
  }

  onResize(listener: () => void): void {
    this.stream.on('resize', listener);
  }
}
