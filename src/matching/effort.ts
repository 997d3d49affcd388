/** Maximum cost of all searches of one decision together: at most about 100 ms. */
const MAX_STEPS = 5_000_000;

/** All searches of one decision together would take too long. */
export class TooMuchEffort extends Error {
  override readonly name = 'TooMuchEffort';
}

/** Bounds the searches of one decision, which blocks the event loop, together. */
export class Effort {
  private left = MAX_STEPS;

  /**
   * @param steps one is at most about 20 ns
   * @throws TooMuchEffort
   */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new TooMuchEffort();
  }
}
