import type { Activity } from './activity.js';

/** Counts what a run is at, to tell whether all of it waits for people. */
export class WorkCount {
  /** Pieces of work that have begun and are not over, and how many of them only wait for another one. */
  private working = 0;
  private suspended = 0;
  /** Those of them that could not be run again. */
  private pinned = 0;

  constructor(private readonly onChange: () => void) {}

  /** A piece of work has begun, until the returned function is called. */
  begin(): () => void {
    this.working++;
    this.onChange();
    return () => {
      this.working--;
      this.onChange();
    };
  }

  /** A piece of work waits for another one, until the returned function is called. Unless it can be run again, it pins the run to memory. */
  suspend(repeatable: boolean): () => void {
    const pins = repeatable ? 0 : 1;
    const count = (by: 1 | -1): void => {
      this.suspended += by;
      this.pinned += by * pins;
      this.onChange();
    };
    count(1);
    return () => count(-1);
  }

  /** What the run does while so many questions to people are open. */
  activity(asked: number): Activity {
    if (asked === 0 || asked + this.suspended !== this.working) return 'working';
    return this.pinned > 0 ? 'waiting' : 'parkable';
  }
}
