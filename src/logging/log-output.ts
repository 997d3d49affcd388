/** `process.stdout`, of which an error is not the end. */
interface StandardStream {
  write(text: string, done: (error?: Error | null) => void): unknown;
  on(event: 'error', listener: () => void): unknown;
  listenerCount(event: 'error'): number;
}

/**
 * Writes the log to a standard stream, whose reader may go away and whose disk may be full. Each
 * line is tried. Those that are lost are counted, and reported once a line is written again.
 */
export class LogOutput {
  private lost = 0;
  private code = '';
  /** Lost lines that the line which is being written tells of. */
  private announced = 0;

  /** @param announce writes a line with the number of lost lines and the code of the last error */
  constructor(
    private readonly stream: StandardStream,
    private readonly announce: (lost: number, code: string) => void,
  ) {}

  write(text: string): void {
    const { announced } = this;
    // A full disk may have taken a part of the last line.
    this.stream.write(announced ? `\n${text}` : text, (error) => {
      if (error) this.lose(error, announced || 1);
      else if (this.lost > 0) this.tell();
    });
  }

  private lose(error: Error & { code?: string }, lines: number): void {
    this.lost += lines;
    this.code = error.code ?? error.message;
    // The event comes after this call. Without a listener, it would end the process.
    if (this.stream.listenerCount('error') === 0) this.stream.on('error', () => {});
  }

  private tell(): void {
    this.announced = this.lost;
    this.lost = 0;
    this.announce(this.announced, this.code);
    this.announced = 0;
  }
}
