import { Logger } from '@nestjs/common';
import type { Clock } from '../clock.js';

export interface PeriodicJob {
  /** For the log. */
  readonly name: string;
  /** From the beginning of a round to that of the next one, in milliseconds. */
  readonly every_ms: number;
  readonly run: () => Promise<void> | void;
}

/**
 * A background job that is repeated by the injected clock, never in two rounds at once. It does not
 * keep the process alive. A round that fails is logged at `debug`, and the next one tries again:
 * most failures are those of a store that is unavailable, which `StoreHealth` reports.
 */
export class Periodic {
  private readonly logger = new Logger(Periodic.name);
  private callOff = (): void => {};
  private round: Promise<void> | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly job: PeriodicJob,
  ) {}

  /** The first round is after `every_ms`. */
  start(): void {
    this.callOff = this.clock.after(this.job.every_ms, () => {
      this.start();
      void this.runNow();
    });
  }

  /** Begins a round, or joins the one that runs. Never rejects. */
  runNow(): Promise<void> {
    this.round ??= this.runRound().finally(() => (this.round = undefined));
    return this.round;
  }

  /** Resolves when the round that runs is over. */
  async stop(): Promise<void> {
    this.callOff();
    await this.round;
  }

  private async runRound(): Promise<void> {
    try {
      await this.job.run();
    } catch (err) {
      this.logger.debug({ message: `${this.job.name}: a round was not completed`, err });
    }
  }
}
