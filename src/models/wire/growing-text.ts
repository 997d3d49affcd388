/** Text that grows by deltas, of which none is handed on that ends in the middle of a character. */
export class GrowingText {
  text = '';
  private held = '';

  /** Answers what may be shown now. */
  append(delta: string): string {
    const ready = this.held + delta;
    const end = endsInPair(ready) ? ready.length - 1 : ready.length;
    this.held = ready.slice(end);
    return this.add(ready.slice(0, end));
  }

  /** Answers what was held back, when nothing comes any more. */
  end(): string {
    const rest = this.held;
    this.held = '';
    return this.add(rest);
  }

  private add(delta: string): string {
    this.text += delta;
    return delta;
  }
}

/** Whether the last code unit is the first of a surrogate pair. */
function endsInPair(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
