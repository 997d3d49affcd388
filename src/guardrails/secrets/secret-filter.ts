import type { OutputFilter } from '../guardrail.js';
import { growKey } from './key-pattern.js';
import type { GrowingKey } from './key-pattern.js';
import type { SecretBook } from './secret-book.js';

/**
 * Puts `[redacted: …]` in the place of secrets, however the text is cut into pieces: what may be the beginning of one is held back, and what
 * can't be is passed on at once. Secrets that overlap become one. The time is linear in the text.
 */
export class SecretFilter implements OutputFilter {
  /** What is not decided, and the two characters before it. */
  private held = '';
  private before = '';
  /** Where in `held` the last secret that was found ends, or has ended before it; it may still grow. */
  private covered = -1;
  private growing: GrowingKey | undefined;
  private readonly found = new Map<string, number>();

  constructor(private readonly book: SecretBook) {}

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
    let plain = 0; // from here on to `at`, nothing is secret
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

/** Whether no word goes on here; the `n` of a line break in JSON is none. */
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
