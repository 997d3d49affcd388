import { SystemClock } from '../../src/kernel/clock.js';

const DAY_MS = 86_400_000;
/** No test takes as long. */
const TEST_MS = 600_000;

interface Timer {
  readonly due: number;
  readonly fire: () => void;
}

/** The time of the system, which a test can move on. */
export class MovableClock extends SystemClock {
  /** Whether what sleeps goes on at once. */
  skipsSleep = false;
  private passed = 0;
  private readonly timers = new Set<Timer>();

  override now(): Date {
    return new Date(super.now().getTime() + this.passed);
  }

  override monotonic(): number {
    return super.monotonic() + this.passed;
  }

  override after(milliseconds: number, call: () => void): () => void {
    const callOff = super.after(milliseconds, () => timer.fire());
    const cancel = (): void => {
      callOff();
      this.timers.delete(timer);
    };
    const timer: Timer = {
      due: this.monotonic() + milliseconds,
      fire: () => {
        cancel();
        call();
      },
    };
    this.timers.add(timer);
    return cancel;
  }

  /** Passes itself the time of what sleeps, if it was told so. */
  override async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    const slept = super.sleep(milliseconds, signal);
    if (this.skipsSleep) this.pass(milliseconds);
    await slept;
  }

  /** Moves on to the next day in UTC if this one is about to end: for tests that count by days. */
  leaveMidnight(): void {
    const left = DAY_MS - (this.now().getTime() % DAY_MS);
    if (left < TEST_MS) this.pass(left);
  }

  /** Calls what is due then, in order. */
  pass(milliseconds: number): void {
    this.passed += milliseconds;
    const due = [...this.timers].filter((timer) => timer.due <= this.monotonic());
    for (const { fire } of due.toSorted((a, b) => a.due - b.due)) fire();
  }
}
