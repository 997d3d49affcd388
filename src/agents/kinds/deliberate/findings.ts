/** The result of one part of the work. */
export interface Finding {
  readonly task: string;
  readonly result: string;
  /** It has no answer, and `result` says why. */
  readonly failed: boolean;
}

/** Of one part, in characters: all of them have to fit into a prompt. */
const MAX_RESULT = 20_000;

/** For a prompt; empty without findings. */
export function describeFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return '';
  const parts = findings.map(
    ({ task, result, failed }) =>
      `## ${task}\n\n${failed ? `Nothing was found: ${result}` : result.slice(0, MAX_RESULT)}`,
  );
  return `\n\nOthers have looked into parts of it:\n\n${parts.join('\n\n')}`;
}
