import { StringDecoder } from 'node:string_decoder';
import { cutText } from '../../kernel/text/cut-text.js';

/** Maximum characters of a line that are passed on. */
const MAX_LINE = 2_000;

/** Splits what a program prints into lines, so that no secret is passed on in two parts. */
export class SaidLines {
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';
  /** The line is too long; the rest of it is left out. */
  private isCut = false;

  constructor(private readonly onLine: (line: string) => void) {}

  push(data: Buffer): void {
    const lines = (this.rest + this.decoder.write(data)).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.tell(line);
    if (this.rest.length <= MAX_LINE) return;
    this.tell(this.rest);
    this.isCut = true;
    this.rest = '';
  }

  end(): void {
    this.tell(this.rest);
    this.rest = '';
  }

  private tell(line: string): void {
    const isTold = this.isCut;
    this.isCut = false;
    if (isTold || line.trim() === '') return;
    this.onLine(line.length > MAX_LINE ? withoutLastWord(cutText(line, MAX_LINE)) : line.trimEnd());
  }
}

/** The last word could be the beginning of a secret. */
function withoutLastWord(line: string): string {
  return `${line.replace(/\S+$/, '')}…`; // regex: a line has at most `MAX_LINE` characters
}
