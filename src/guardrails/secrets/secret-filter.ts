import type { OutputFilter } from '../guardrail.js';
import { growKey } from './key-pattern.js';
import type { GrowingKey } from './key-pattern.js';
import type { SecretBook } from './secret-book.js';

/**
 * Replaces secrets by `[redacted: …]`, independent of the chunks of the text. A possible beginning
 * of a secret is held back; all other text is passed on at once. Overlapping secrets are merged.
 * Runs in linear time.
 */
export class SecretFilter implements OutputFilter {
  /** The undecided text, and the two characters before it. */
  private held = '';
  private before = '';
  /**
   * End of the last secret found, as an index in `held`; negative: it ended before `held`. The
   * secret may still grow.
   */
  private covered = -1;
  private growing: GrowingKey | undefined;
  private readonly found = new Map<string, number>();

  constructor(private readonly book: SecretBook) {}

  /** Secrets found by now, by name. */
  get counts(): ReadonlyMap<string, number> {
    return this.found;
  }

  get remark(): string | undefined {
    if (this.found.size === 0) return undefined;
    const names = [...this.found].map(([name, count]) =>
      count > 1 ? `${name} (${count}×)` : name,
    );
    return `Secrets were redacted: ${names.join(', ')}.`;
  }

  push(text: string): string {
    return this.scan(this.held + text, false);
  }

  end(): string {
    return this.scan(this.held, true);
  }

  private scan(text: string, isOver: boolean): string {
    let shown = '';
    let plain = 0; // no secret from here to `at`
    let at = 0;
    for (; at < text.length; at++) {
      const char = text.charCodeAt(at);
      if (!this.growing && at >= this.covered && !this.book.mayBegin(char)) continue;
      const growing =
        at < this.covered ? this.growing : this.growing && growKey(this.growing, char);
      const isInside = at < this.covered || growing !== undefined;
      const keys = !isInside && (at === this.covered || isBoundary(text, at, this.before));
      const found = this.book.mayBegin(char)
        ? this.book.find(text, at, { keys, isOver })
        : undefined;
      if (found === 'wait') break;
      this.growing = growing;
      if (isInside) this.covered = Math.max(this.covered, at + 1);
      if (found) {
        if (!isInside) shown += text.slice(plain, at) + this.label(found.name);
        this.covered = Math.max(this.covered, found.end);
        if (found.pattern) this.growing = { pattern: found.pattern, run: 0, taken: 0 };
      }
      if (this.covered > at) plain = at + 1;
    }
    shown += text.slice(plain, at);
    this.before = (this.before + text.slice(0, at)).slice(-2);
    this.held = text.slice(at);
    this.covered -= at;
    return shown;
  }

  private label(name: string): string {
    this.found.set(name, (this.found.get(name) ?? 0) + 1);
    return `[redacted: ${name}]`;
  }
}

/** True at a word boundary; the `n` of an escaped line break in JSON is not part of a word. */
function isBoundary(text: string, at: number, before: string): boolean {
  const around = at > 1 ? text : before + text;
  const here = at > 1 ? at : before.length + at;
  if (here === 0 || !isWord(around.charCodeAt(here - 1))) return true;
  return around[here - 2] === '\\' && ESCAPES.has(around[here - 1]!);
}

const ESCAPES = new Set(['n', 'r', 't']);

function isWord(char: number): boolean {
  const isLetter = (char | 0x20) >= 0x61 && (char | 0x20) <= 0x7a;
  return isLetter || (char >= 0x30 && char <= 0x39) || char === 0x5f;
}
