import { countThreads } from './count-threads.js';
import type { ProcessFamily } from './process-family.js';

const POLL_MS = 100;

/** Monitors the number of processes of a command, on hosts where the kernel doesn't limit it. */
export class ProcessCap {
  /** Resolves when there are too many processes. */
  readonly exceeded: Promise<void>;
  private timer: NodeJS.Timeout | undefined;
  private before: number | undefined;
  private isLooking = false;
  private tell: () => void = () => {};

  constructor(
    private readonly family: ProcessFamily,
    private readonly max: number,
  ) {
    this.exceeded = new Promise((resolve) => {
      this.tell = resolve;
    });
    this.timer = setInterval(() => void this.look(), POLL_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Counts the family only if the host has many more threads than at the start. */
  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    const now = await countThreads();
    this.before ??= now;
    if (now - this.before > this.max / 2 && (await this.family.count()) > this.max) this.tell();
    this.isLooking = false;
  }
}
