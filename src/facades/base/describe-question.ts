/** A question as text: the protocol has no other word for it. */
export function describeQuestion(question: unknown, options: unknown): string {
  const lines: readonly unknown[] = Array.isArray(options) ? options : [];
  return [String(question), ...lines.map((option) => `- ${String(option)}`)].join('\n');
}
