import { cutText } from '../../../kernel/text/cut-text.js';

/** A question to the user, and the answer. */
export interface Fact {
  readonly question: string;
  /** null: the user declined to answer. */
  readonly answer: string | null;
}

/** Text for a prompt; empty without questions. */
export function describeFacts(facts: readonly Fact[]): string {
  if (facts.length === 0) return '';
  const lines = facts.map(
    ({ question, answer }) => `- ${question}\n  ${answer ?? '(would not say)'}`,
  );
  return `\n\nThe user was asked since, and said:\n${lines.join('\n')}`;
}

/** The result of one part of the work. */
export interface Finding {
  readonly task: string;
  readonly result: string;
  /** True if it has no answer; `result` gives the reason. */
  readonly failed: boolean;
}

/** Maximum length of one part, in characters: all of them have to fit into a prompt. */
const MAX_RESULT = 20_000;

/** For a prompt; empty without findings. */
export function describeFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return '';
  const parts = findings.map(
    ({ task, result, failed }) =>
      `## ${task}\n\n${failed ? `Nothing was found: ${result}` : cutText(result, MAX_RESULT)}`,
  );
  return `\n\nOthers have looked into parts of it:\n\n${parts.join('\n\n')}`;
}
