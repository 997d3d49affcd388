/** The head of a Markdown file, between two lines of `---`, and what comes after. */
export interface FrontMatter {
  readonly yaml: string;
  /** Lines of the file before the head's first. */
  readonly offset: number;
  readonly body: string;
}

const FENCE = /^---[ \t]*$/;

/** undefined: it has no head, or one without an end. */
export function splitFrontMatter(text: string): FrontMatter | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (!FENCE.test(lines[0]!)) return undefined;
  const end = lines.findIndex((line, at) => at > 0 && FENCE.test(line));
  if (end === -1) return undefined;
  return {
    yaml: lines.slice(1, end).join('\n'),
    offset: 1,
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}
