/** Data on the disk that is not in the state in which the store leaves it. */
export interface StorageProblem {
  readonly path: string;
  /** A sentence for the operator: the problem and the repair. */
  readonly message: string;
}

export type ReportProblem = (problem: StorageProblem) => void;

export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
