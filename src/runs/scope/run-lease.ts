import type { Clock } from '../../kernel/clock.js';

/** The lease of one run, by the clock of this process. */
export class RunLease {
  constructor(
    private readonly clock: Clock,
    private readonly ttl_ms: number,
    /** `boottime`, taken before the last successful acquisition or renewal was sent. */
    public renewed_at: number,
  ) {}

  /**
   * False once another process may have taken the lease; a process that was suspended detects it
   * here.
   */
  get isFresh(): boolean {
    return this.clock.boottime() - this.renewed_at < this.ttl_ms;
  }
}
