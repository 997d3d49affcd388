/** A question to the user, and the answer. */
export interface Fact {
  readonly question: string;
  /** null: they would not say. */
  readonly answer: string | null;
}

/** For a prompt; nothing where nothing was asked. */
export function describeFacts(facts: readonly Fact[]): string {
  if (facts.length === 0) return '';
  const lines = facts.map(
    ({ question, answer }) => `- ${question}\n  ${answer ?? '(would not say)'}`,
  );
  return `\n\nThe user was asked since, and said:\n${lines.join('\n')}`;
}
