/** A run in memory that does nothing but wait. */
export interface WaitingRun {
  /** Whether it could rest as a row. */
  readonly isParkable: boolean;
  /** Lets go of it now. It may not succeed: then it stays. */
  parkNow(): void;
}

/** The runs of this process that only wait. As many as may work may wait in memory: where there are more, those that wait longest are parked. */
export class WaitingRuns {
  private readonly runs = new Set<WaitingRun>();

  constructor(private readonly limit: number) {}

  get count(): number {
    return this.runs.size;
  }

  add(run: WaitingRun): void {
    this.runs.add(run);
    if (this.runs.size <= this.limit) return;
    const longest = [...this.runs].find(({ isParkable }) => isParkable);
    if (!longest) return;
    this.runs.delete(longest);
    longest.parkNow();
  }

  delete(run: WaitingRun): void {
    this.runs.delete(run);
  }
}
