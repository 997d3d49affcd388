/** Goes off once after a time in which it was not paused, in milliseconds; 0: never. */
export class PausableTimer {
  private timer: NodeJS.Timeout | undefined;
  private since = 0;
  private pauses = 0;

  constructor(
    private left_ms: number,
    private readonly onElapsed: () => void,
  ) {
    this.start();
  }

  /** Stands still until the answered function is called, and as long as anybody else has it paused. */
  pause(): () => void {
    if (this.pauses++ === 0) this.halt();
    let isPaused = true;
    return () => {
      if (isPaused && --this.pauses === 0) this.start();
      isPaused = false;
    };
  }

  stop(): void {
    clearTimeout(this.timer);
    this.left_ms = 0;
  }

  private start(): void {
    if (this.left_ms <= 0) return;
    this.since = performance.now();
    this.timer = setTimeout(this.onElapsed, this.left_ms);
  }

  private halt(): void {
    if (this.left_ms <= 0) return;
    clearTimeout(this.timer);
    this.left_ms = Math.max(1, this.left_ms - (performance.now() - this.since));
  }
}
