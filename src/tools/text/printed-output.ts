import { BoundedOutput } from './bounded-output.js';
import { TerminalText } from './terminal-text.js';

/** Output of a program: as it comes for people, and as a terminal would show it for the model. */
export class PrintedOutput {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private readonly terminal = new TerminalText();
  private readonly kept: BoundedOutput;

  /** `limit`: as of `BoundedOutput`. */
  constructor(limit: number) {
    this.kept = new BoundedOutput(limit);
  }

  /** Returns the text of these bytes, for people. */
  push(bytes: Buffer): string {
    const text = this.decoder.decode(bytes, { stream: true });
    this.keep(this.terminal.push(text));
    return text;
  }

  /** The whole output, for the model; to be called once, at the end. */
  text(): ReturnType<BoundedOutput['text']> {
    this.keep(this.terminal.push(this.decoder.decode()));
    this.keep(this.terminal.end());
    return this.kept.text();
  }

  private keep(text: string): void {
    if (text !== '') this.kept.push(Buffer.from(text));
  }
}
