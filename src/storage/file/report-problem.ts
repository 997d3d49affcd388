/** Something on the disk that was not as the store leaves it. */
export interface StorageProblem {
  readonly path: string;
  /** A sentence for the operator: what it was and what was done about it. */
  readonly message: string;
}

export type ReportProblem = (problem: StorageProblem) => void;

export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
