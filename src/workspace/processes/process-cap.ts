import { countThreads } from './count-threads.js';
import type { ProcessFamily } from './process-family.js';

const LOOK_MS = 100;

/** Watches how many processes a command has become, where the kernel doesn't. */
export class ProcessCap {
  /** Resolves when there are too many. */
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
    this.timer = setInterval(() => void this.look(), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** The family is only counted when there is much more on the whole host than when it began. */
  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    const now = await countThreads();
    this.before ??= now;
    if (now - this.before > this.max / 2 && (await this.family.count()) > this.max) this.tell();
    this.isLooking = false;
  }
}
