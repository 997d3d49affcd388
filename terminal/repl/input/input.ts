import { createInterface } from 'node:readline';
import { Keyboard } from '../../screen/keys.js';
import type { Key } from '../../screen/keys.js';
import type { Terminal } from '../../terminal.js';

/** Where keys come from. */
export interface Input {
  start(): void;
  stop(): void;
}

export function inputFor({ out, environment }: Terminal, take: (key: Key) => void): Input {
  if (!environment.isDumb && out.isTerminal) return new Keyboard(process.stdin, out, take);
  return new LineInput(take);
}

/** Whole lines, of a terminal that can do nothing else. Ctrl-C comes as a signal. */
class LineInput implements Input {
  private lines: ReturnType<typeof createInterface> | undefined;

  constructor(private readonly take: (key: Key) => void) {
    process.on('SIGINT', () => take({ name: 'ctrl-c' }));
  }

  start(): void {
    const lines = createInterface({ input: process.stdin, terminal: false });
    lines.on('line', (text) => {
      if (text !== '') this.take({ name: 'paste', text });
      this.take({ name: 'return' });
    });
    this.lines = lines;
  }

  stop(): void {
    const { lines } = this;
    this.lines = undefined;
    lines?.close();
  }
}
