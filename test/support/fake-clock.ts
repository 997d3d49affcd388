import { Clock } from '../../src/kernel/clock.js';

/** Time that stands still until a test moves it. */
export class FakeClock extends Clock {
  private passed = 0;

  now(): Date {
    return new Date(Date.UTC(2026, 0, 15, 10) + this.passed);
  }

  monotonic(): number {
    return this.passed;
  }

  pass(milliseconds: number): void {
    this.passed += milliseconds;
  }
}
