const WORD = /(?:[\w@%+=:,./~^!#-]|'[^']*'|"[^"\\$`]*"|\\')+/y;

/**
 * The words of a command that a rule names: plain words, with quotes around special characters.
 * Undefined if a shell would find anything but words in it.
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let at = skipBlanks(text, 0);
  while (at < text.length) {
    WORD.lastIndex = at;
    const [raw] = WORD.exec(text) ?? [];
    if (raw === undefined) return undefined;
    words.push(unquote(raw));
    const end = at + raw.length;
    at = skipBlanks(text, end);
    if (at === end && at < text.length) return undefined;
  }
  return words.length > 0 ? words : undefined;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at++;
  return at;
}

function unquote(raw: string): string {
  return raw.replace(/'([^']*)'|"([^"]*)"|\\(')/g, (_, single, double, escaped) =>
    String(single ?? double ?? escaped),
  );
}

/** Quotes a word, so that a shell takes it literally. */
export function quoteWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
