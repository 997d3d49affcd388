import type { Clock } from '../kernel/clock.js';

/** The lease of one run, as the monotonic clock of this process has it. */
export class RunLease {
  constructor(
    private readonly clock: Clock,
    private readonly ttl_ms: number,
    /**
     * Monotonic milliseconds, from before the last acquisition or renewal that succeeded was sent.
     */
    public renewed_at: number,
  ) {}

  /**
   * False once another process may have taken the lease; a process that was suspended notices here.
   */
  get isFresh(): boolean {
    return this.clock.monotonic() - this.renewed_at < this.ttl_ms;
  }
}
