/**
 * Reads the words of each command that `set -x` of Bash printed. A line begins with `+` for each
 * level; words with special characters are quoted as `'…'`, `$'…'` or `\'`.
 */
export function readXtrace(text: string): string[][] {
  const commands: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const [start] = /^\++ /.exec(text.slice(at, at + 100)) ?? [];
    const line = start === undefined ? skipLine(text, at) : readLine(text, at + start.length);
    if (line.words.length > 0) commands.push(line.words);
    at = line.end;
  }
  return commands;
}

interface Line {
  readonly words: string[];
  readonly end: number;
}

function skipLine(text: string, from: number): Line {
  const end = text.indexOf('\n', from);
  return { words: [], end: end < 0 ? text.length : end + 1 };
}

const PIECE = /'([^']*)'|\$'((?:[^'\\]|\\[^])*)'|\\([^])|([^ \t\n'\\$]+|\$)|( +)|\n/y;

function readLine(text: string, from: number): Line {
  const words: string[] = [];
  let word: string | undefined;
  PIECE.lastIndex = from;
  for (let piece = PIECE.exec(text); piece && piece[0] !== '\n'; piece = PIECE.exec(text)) {
    const [, single, ansi, escaped, bare, blank] = piece;
    const value = single ?? (ansi === undefined ? (escaped ?? bare) : decode(ansi));
    if (blank === undefined) word = (word ?? '') + value!;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (word !== undefined) words.push(word);
  return { words, end: PIECE.lastIndex || text.length };
}

const NAMED: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', E: '\x1b', f: '\f', v: '\v' },
};

/** Decodes what Bash itself prints in `$'…'`: characters that it can't print, as their bytes. */
function decode(text: string): string {
  return text.replace(/(?:\\[0-7]{3})+|\\([^])/g, (escaped, other?: string) =>
    other === undefined ? decodeBytes(escaped) : (NAMED[other] ?? other),
  );
}

function decodeBytes(octal: string): string {
  const bytes = octal.slice(1).split('\\');
  return Buffer.from(bytes.map((digits) => parseInt(digits, 8))).toString();
}
