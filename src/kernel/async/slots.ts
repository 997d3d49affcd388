/** Bounds how much work of a kind runs at once. The rest waits in order. */
export class Slots {
  private taken = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly size: number) {}

  get areTaken(): boolean {
    return this.taken >= this.size;
  }

  /** Waits for a free slot. @throws the signal's reason */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.areTaken) await this.next(signal);
    else this.taken++;
  }

  release(): void {
    const [first] = this.waiting;
    if (!first) return void this.taken--;
    this.waiting.delete(first);
    first();
  }

  private next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        if (this.waiting.delete(start)) reject(signal.reason);
      };
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      this.waiting.add(start);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
