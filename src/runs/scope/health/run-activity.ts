/**
 * `working`; `waiting`: all work waits for people, or for what the server lacks; `parkable`: it
 * does, and a replay reaches the same wait again, so that the run needs no memory meanwhile.
 */
export type Activity = 'working' | 'waiting' | 'parkable';

export interface ActivityListener {
  activityChanged(activity: Activity): void;
}

/** Counts the work of a run, to detect that all of it waits. */
export class RunActivity {
  /** Pieces of work in progress. */
  private working = 0;
  /** Pieces of work that wait for another one. */
  private suspended = 0;
  /** Suspended pieces of work that can't be replayed. */
  private pinned = 0;
  /** Pieces of work that wait for a person, or for what the server lacks. */
  private asking = 0;
  private last: Activity = 'working';
  private listener: ActivityListener | undefined;

  subscribe(listener: ActivityListener): void {
    this.listener = listener;
  }

  get current(): Activity {
    const { asking, suspended, working, pinned } = this;
    if (asking === 0 || asking + suspended !== working) return 'working';
    return pinned > 0 ? 'waiting' : 'parkable';
  }

  /** A piece of work begins; it ends when the returned function is called. */
  begin(): () => void {
    return this.count((by) => (this.working += by));
  }

  /** A piece of work waits for another one, until the returned function is called. */
  suspend(isRepeatable: boolean): () => void {
    return this.count((by) => {
      this.suspended += by;
      if (!isRepeatable) this.pinned += by;
    });
  }

  /**
   * A piece of work waits for a person, or for what the server lacks, until the returned function
   * is called.
   */
  ask(): () => void {
    return this.count((by) => (this.asking += by));
  }

  private count(add: (by: 1 | -1) => void): () => void {
    const change = (by: 1 | -1): void => {
      add(by);
      const { current } = this;
      if (current === this.last) return;
      this.last = current;
      this.listener?.activityChanged(current);
    };
    change(1);
    return () => change(-1);
  }
}
