/**
 * Text that grows by deltas. No delta that it returns ends in the middle of a character, and a half
 * of a character without its other half is replaced.
 */
export class GrowingText {
  text = '';
  private held = '';

  /** Returns the text that can be emitted now. */
  append(delta: string): string {
    const ready = this.held + delta;
    const end = endsInPair(ready) ? ready.length - 1 : ready.length;
    this.held = ready.slice(end);
    return this.add(ready.slice(0, end));
  }

  /** Returns the text held back. Called when no more deltas follow. */
  end(): string {
    const rest = this.held;
    this.held = '';
    return this.add(rest);
  }

  protected add(delta: string): string {
    const whole = delta.toWellFormed();
    this.text += whole;
    return whole;
  }
}

/** True if the last code unit is the first of a surrogate pair. */
function endsInPair(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
