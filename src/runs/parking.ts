import type { Activity } from './scope/activity.js';
import type { RunSlot } from '../queue/run-queue.js';
import type { WaitingRun, WaitingRuns } from './runner/waiting-runs.js';

export interface ParkingOptions {
  /** How long a run waits in memory, in milliseconds. */
  readonly after_ms: number;
  readonly slot: RunSlot;
  readonly waiting: WaitingRuns;
  /** Answers whether it could. */
  readonly park: () => Promise<boolean>;
}

/** Lets go of what a run that only waits doesn't need: of its slot at once, and after a while, if it can be parked, of its memory. */
export class Parking implements WaitingRun {
  private timer: NodeJS.Timeout | undefined;
  private activity: Activity = 'working';
  private isTrying = false;
  private stopped = false;

  constructor(private readonly options: ParkingOptions) {}

  get isParkable(): boolean {
    return this.activity === 'parkable';
  }

  set(activity: Activity): void {
    if (activity === this.activity || this.stopped) return;
    const hasWorked = this.activity === 'working';
    this.activity = activity;
    clearTimeout(this.timer);
    if (activity === 'working') return this.wake();
    if (activity === 'parkable') this.schedule();
    if (hasWorked) this.rest();
  }

  /** It has its slot back, and what it was woken for may not have been for it. */
  restAgain(): void {
    if (this.activity !== 'working') this.options.slot.release();
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

  private wake(): void {
    this.options.waiting.delete(this);
    this.options.slot.take();
  }

  private schedule(): void {
    clearTimeout(this.timer); // one of them only, which whatever comes can stop
    this.timer = setTimeout(() => void this.tryToPark(), this.options.after_ms).unref();
  }

  private async tryToPark(): Promise<void> {
    if (this.isTrying || !this.isParkable) return;
    this.isTrying = true;
    const parked = await this.options.park().finally(() => (this.isTrying = false));
    if (!parked && this.isParkable && !this.stopped) this.schedule();
  }
}
