import type { Secret } from '../config/secret.js';

const HIDDEN = '[hidden]';
/** Shorter secrets would also match ordinary words. */
const MIN_LENGTH = 6;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [
    /(authorization|api[-_]?key|password|secret|token|cookie)(\\?":\s*\\?")[^"\\]+/gi,
    `$1$2${HIDDEN}`,
  ],
  [/\b(bearer)\s+[\w.~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  [/\bsk-[\w-]{8,}/g, HIDDEN],
  [/(\w:\/\/[^\s:/@"]*):[^\s/@"]+@/g, `$1:${HIDDEN}@`],
];

/**
 * Makes a function that hides secrets in a line of the log: the given ones (of a URL, its password)
 * and everything that looks like a key, an authorization header or a URL's password.
 */
export function redactor(secrets: readonly (Secret | undefined)[]): (line: string) => string {
  const literals = secrets
    .flatMap((secret) => (secret ? forms(secret.reveal()) : []))
    .filter((literal) => literal.length >= MIN_LENGTH);
  return (line) => {
    let text = line;
    for (const literal of literals) text = text.replaceAll(literal, HIDDEN);
    for (const [pattern, replacement] of PATTERNS) text = text.replace(pattern, replacement);
    return text;
  };
}

/** The spellings of a secret in a line of JSON. */
function forms(secret: string): string[] {
  const password = URL.canParse(secret) ? new URL(secret).password : '';
  const plain = password ? [password, decode(password)] : [secret];
  return plain.map((text) => JSON.stringify(text).slice(1, -1));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
