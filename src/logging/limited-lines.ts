import type { Clock } from '../kernel/clock.js';
import { outsideRuns } from './log-fields.js';

const WINDOW_MS = 60_000;
/** Further keys share one window. */
const MAX_KEYS = 100;
const OTHERS = 'others';

interface Window<T> {
  /** Lines since the last one that was written. */
  left_out: number;
  last?: T;
  readonly callOff: () => void;
}

/**
 * Lines of which there may be thousands in a second: the first of a key is written at once, then at
 * most one in a minute, with the number of those that were left out since.
 */
export class LimitedLines<T> {
  private readonly windows = new Map<string, Window<T>>();

  /** @param write `left_out`: lines before this one that were not written */
  constructor(
    private readonly clock: Clock,
    private readonly write: (line: T, left_out: number) => void,
  ) {}

  add(key: string, line: T): void {
    const own = this.windows.has(key) || this.windows.size < MAX_KEYS ? key : OTHERS;
    const window = this.windows.get(own);
    if (window) {
      window.left_out++;
      window.last = line;
      return;
    }
    this.windows.set(own, { left_out: 0, callOff: this.closeLater(own) });
    this.write(line, 0);
  }

  /** Writes what was left out, at the end of the process. */
  flush(): void {
    for (const window of this.windows.values()) {
      window.callOff();
      this.writeLast(window);
    }
    this.windows.clear();
  }

  private closeLater(key: string): () => void {
    return outsideRuns(() => this.clock.after(WINDOW_MS, () => this.close(key)));
  }

  /** A key that was quiet for a window is forgotten. */
  private close(key: string): void {
    const window = this.windows.get(key);
    this.windows.delete(key);
    if (window?.last === undefined) return;
    this.windows.set(key, { left_out: 0, callOff: this.closeLater(key) });
    this.writeLast(window);
  }

  private writeLast({ last, left_out }: Window<T>): void {
    if (last !== undefined) this.write(last, left_out - 1);
  }
}
