/** Time, injected so that tests own it. */
export abstract class Clock {
  /** Wall clock, for what people read. */
  abstract now(): Date;
  /** Milliseconds that never jump, for durations and leases. */
  abstract monotonic(): number;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }

  monotonic(): number {
    return performance.now();
  }
}
