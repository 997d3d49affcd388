/** Semaphore with `limit` permits; first come, first served. */
export class Turns {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  /** Resolves with a permit; the returned function releases it. */
  async take(): Promise<() => void> {
    if (this.taken < this.limit) this.taken++;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    let isOver = false;
    return () => {
      if (!isOver) this.pass();
      isOver = true;
    };
  }

  private pass(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.taken--;
  }
}
