/** Lets go of a run that has done nothing but wait for a while. */
export class Parking {
  private timer: NodeJS.Timeout | undefined;
  private idle = false;
  private stopped = false;

  /** `park` answers whether it could. */
  constructor(
    private readonly after_ms: number,
    private readonly park: () => Promise<boolean>,
  ) {}

  get isIdle(): boolean {
    return this.idle;
  }

  set(isIdle: boolean): void {
    if (isIdle === this.idle || this.stopped) return;
    this.idle = isIdle;
    clearTimeout(this.timer);
    if (isIdle) this.schedule();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private schedule(): void {
    this.timer = setTimeout(() => void this.tryNow(), this.after_ms).unref();
  }

  private async tryNow(): Promise<void> {
    const parked = await this.park();
    if (!parked && this.idle && !this.stopped) this.schedule();
  }
}
