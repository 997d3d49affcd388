import { GrowingText } from '../answer/growing-text.js';

/**
 * Text that a server may repeat as a whole. Each append makes a text that V8 copies when its
 * characters are read, so they are read only for a text that is at least as long.
 */
export class RepeatedText extends GrowingText {
  /** Without the white space around it. */
  trimmed = '';
  private spaceAfter = '';

  /**
   * The rest of a whole text after what was received of it; undefined if it begins otherwise.
   * Servers trim whole texts.
   */
  restIn(whole: string): string | undefined {
    const starts = [this.text, this.trimmed + this.spaceAfter, this.trimmed];
    const known = starts.find((start) => start.length <= whole.length && whole.startsWith(start));
    return known === undefined ? undefined : whole.slice(known.length);
  }

  protected override add(delta: string): string {
    const added = super.add(delta);
    const text = this.trimmed === '' ? added.trimStart() : added;
    const end = text.trimEnd().length;
    if (end > 0) {
      this.trimmed += this.spaceAfter + text.slice(0, end);
      this.spaceAfter = '';
    }
    this.spaceAfter += text.slice(end);
    return added;
  }
}
