import { cutText } from '../../kernel/text/cut-text.js';
import type { ImportProblem } from '../../protocol/wire/chat.js';

const MAX_PROBLEMS = 100;
const MAX_MESSAGE = 300;
/** With this many problems, the rest of the log is not read. */
const STOP_COUNT = 10_000;

/** The first problems, and the number of the others. */
export class ProblemList {
  private readonly first: ImportProblem[] = [];
  private left: { line: number; count: number } | undefined;

  add(line: number, message: string): void {
    if (this.first.length < MAX_PROBLEMS)
      this.first.push({ line, message: cutText(message, MAX_MESSAGE) });
    else if (this.left) this.left.count++;
    else this.left = { line, count: 1 };
  }

  /** True if reading has to stop. */
  get isFull(): boolean {
    return (this.left?.count ?? 0) >= STOP_COUNT - MAX_PROBLEMS;
  }

  get all(): readonly ImportProblem[] {
    if (!this.left) return this.first;
    const { line, count } = this.left;
    return [...this.first, { line, message: `From here on there were ${count} more problems.` }];
  }
}
