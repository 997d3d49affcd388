/** What was wrong with a line of a log, and so was not imported. */
export interface ImportProblem {
  readonly line: number;
  readonly message: string;
}

const MAX_PROBLEMS = 100;
const MAX_MESSAGE = 300;
/** So many are no accident. */
const HOPELESS = 10_000;

/** The first problems, and how many more there were. */
export class ProblemList {
  private readonly first: ImportProblem[] = [];
  private left: { line: number; count: number } | undefined;

  add(line: number, message: string): void {
    if (this.first.length < MAX_PROBLEMS)
      this.first.push({ line, message: message.slice(0, MAX_MESSAGE) });
    else if (this.left) this.left.count++;
    else this.left = { line, count: 1 };
  }

  /** Whether the rest is not worth reading. */
  get isHopeless(): boolean {
    return (this.left?.count ?? 0) >= HOPELESS - MAX_PROBLEMS;
  }

  get all(): readonly ImportProblem[] {
    if (!this.left) return this.first;
    const { line, count } = this.left;
    return [...this.first, { line, message: `From here on there were ${count} more problems.` }];
  }
}
