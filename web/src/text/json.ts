const PUNCTUATION = '[]{}:,';
const SPACE = ' \t\r\n';
const NUMBER = /^-?\d/;

/**
 * JSON text laid out for people, with every digit of its numbers; as it is if it is no JSON, or
 * only its beginning.
 */
export function layOutJson(text: string): string {
  if (!isJson(text)) return text;
  const tokens = tokensOf(text);
  let shown = '';
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if ('}]'.includes(token)) depth--;
    const before = tokens[at - 1];
    if (startsLine(token, before)) shown += `\n${'  '.repeat(depth)}`;
    shown += token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token;
    if (token === ':') shown += ' ';
    if ('{['.includes(token)) depth++;
  }
  return shown;
}

/** The first number that a program in JavaScript would write with other digits. */
export function findInexact(text: string): string | undefined {
  return tokensOf(text).find((token) => NUMBER.test(token) && !isExact(token));
}

/** An object that text says; undefined for any other text. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Strings, punctuation, numbers and words, in order. */
function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length;) {
    const char = text[at]!;
    const end = SPACE.includes(char) ? at + 1 : endOfToken(text, at);
    if (!SPACE.includes(char)) tokens.push(text.slice(at, end));
    at = end;
  }
  return tokens;
}

function endOfToken(text: string, start: number): number {
  if (PUNCTUATION.includes(text[start]!)) return start + 1;
  const isString = text[start] === '"';
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at]!;
    if (isString && char === '\\') at++;
    else if (isString ? char === '"' : `${SPACE}${PUNCTUATION}"`.includes(char))
      return isString ? at + 1 : at;
  }
  return text.length;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function startsLine(token: string, before: string | undefined): boolean {
  if (before === undefined) return false;
  if (token === '}') return before !== '{';
  if (token === ']') return before !== '[';
  return before === '{' || before === '[' || before === ',';
}

/** `1.50` and `1e2` are the numbers 1.5 and 100; `9007199254740993` is none that JavaScript has. */
function isExact(number: string): boolean {
  return digitsOf(number) === digitsOf(String(Number(number)));
}

/** Significant digits and exponent, which are the same for all spellings of a number. */
function digitsOf(number: string): string {
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const all = `${whole}${part}`.replace(/^0+/, '');
  let end = all.length;
  while (all[end - 1] === '0') end--;
  const digits = all.slice(0, end);
  if (digits === '') return '0';
  return `${sign}${digits}e${Number(exponent) - part.length + all.length - digits.length}`;
}
