/**
 * Holds somebody at a point until a test lets them go on, and tells the test when they are there.
 */
export class Gate {
  /** Resolves when somebody waits here. */
  readonly reached: Promise<void>;
  private readonly opened: Promise<void>;
  private markReached = (): void => {};
  private markOpened = (): void => {};

  constructor() {
    this.reached = new Promise((resolve) => (this.markReached = resolve));
    this.opened = new Promise((resolve) => (this.markOpened = resolve));
  }

  open(): void {
    this.markOpened();
  }

  pass(): Promise<void> {
    this.markReached();
    return this.opened;
  }
}
