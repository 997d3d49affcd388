import type { RunSlot } from '../queue/run-queue.js';
import type { RunHealth } from './scope/health/run-health.js';
import type { RunSignals } from './run-signals.js';
import type { Activity, ActivityListener } from './scope/health/run-activity.js';

interface ParkingOptions {
  /** Time that a waiting run stays in memory before it is parked, in milliseconds. */
  readonly after_ms: () => number;
  readonly slot: RunSlot;
  readonly waiting: WaitingRuns;
  readonly signals: Pick<RunSignals, 'park'>;
  readonly health: Pick<RunHealth, 'leaveTrial'>;
}

/**
 * Releases the resources of a run that only waits: its slot immediately, its memory
 * after a delay.
 */
export class Parking implements ActivityListener {
  private timer: NodeJS.Timeout | undefined;
  private activity: Activity = 'working';
  private isTrying = false;
  private stopped = false;

  constructor(private readonly options: ParkingOptions) {}

  get isParkable(): boolean {
    return this.activity === 'parkable';
  }

  activityChanged(activity: Activity): void {
    // a parkable run leaves once it is parked
    if (activity === 'waiting') this.options.health.leaveTrial().catch(() => {});
    if (activity === this.activity || this.stopped) return;
    const hasWorked = this.activity === 'working';
    this.activity = activity;
    clearTimeout(this.timer);
    if (activity === 'working') return this.resume();
    if (activity === 'parkable') this.schedule();
    if (hasWorked) this.rest();
  }

  parkNow(): void {
    clearTimeout(this.timer);
    void this.tryToPark();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.options.waiting.delete(this);
  }

  private rest(): void {
    this.options.waiting.add(this);
    this.options.slot.release();
  }

  private resume(): void {
    this.options.waiting.delete(this);
    this.options.slot.take();
  }

  private schedule(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.tryToPark(), this.options.after_ms()).unref();
  }

  private async tryToPark(): Promise<void> {
    if (this.isTrying || !this.isParkable) return;
    this.isTrying = true;
    const isParked = await this.options.signals.park().finally(() => (this.isTrying = false));
    if (!isParked && this.isParkable && !this.stopped) this.schedule();
  }
}

/**
 * The runs of this process that only wait. At most `limit` of them stay in memory: beyond that,
 * those that have waited longest are parked at once.
 */
export class WaitingRuns {
  private readonly runs = new Set<Parking>();

  constructor(private readonly limit: number) {}

  get count(): number {
    return this.runs.size;
  }

  add(run: Parking): void {
    this.runs.add(run);
    if (this.runs.size <= this.limit) return;
    const longest = [...this.runs].find(({ isParkable }) => isParkable);
    if (!longest) return;
    this.runs.delete(longest);
    longest.parkNow();
  }

  delete(run: Parking): void {
    this.runs.delete(run);
  }
}
