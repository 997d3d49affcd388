export function rawAnswer(
  answers: Readonly<Record<string, string | readonly string[]>>,
  line: string,
): string | undefined;
