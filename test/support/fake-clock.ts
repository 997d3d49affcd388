import { Clock } from '../../src/kernel/clock.js';

/** Time that stands still until a test moves it. */
export class FakeClock extends Clock {
  private passed = 0;
  private jumped = 0;

  now(): Date {
    return new Date(Date.UTC(2026, 0, 15, 10) + this.passed + this.jumped);
  }

  monotonic(): number {
    return this.passed;
  }

  /** Moves the wall clock only, as a suspended machine or a correction of its time does. */
  jump(milliseconds: number): void {
    this.jumped += milliseconds;
  }

  pass(milliseconds: number): void {
    this.passed += milliseconds;
  }
}
