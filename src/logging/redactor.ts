import type { Config } from '../config/config.js';
import { secretValues } from '../config/secret-values.js';

const HIDDEN = '[hidden]';

/** A token of three parts; of other words that begin like one, nothing is hidden. */
const TOKEN = /\beyJ[\w-]{8,}(\.eyJ[\w-]{8,}\.[\w-]*)?/g;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [
    /(authorization|api[-_]?key|password|secret|token|cookie)(\\?":\s*\\?")[^"\\]+/gi,
    `$1$2${HIDDEN}`,
  ],
  [/\b(bearer)\s+[\w.~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  [/\bsk-[\w-]{8,}/g, HIDDEN],
  [/\bparley_[0-9a-f]{24}_[0-9a-f]+/gi, HIDDEN],
  [/([?&]ticket=)[^&\s"\\]+/gi, `$1${HIDDEN}`],
  [/(\w:\/\/[^\s:/@"]*):[^\s/@"]+@/g, `$1:${HIDDEN}@`],
];

/** Secrets of all servers in this process, which share its log; the longest first. */
let known: readonly string[] = [];

/**
 * Makes a function that hides secrets in a line of the log: the given ones (of a URL, its
 * password), those of other servers in this process, and everything that looks like a key, an
 * authorization header or a URL's password.
 */
export function redactor(secrets: Config['environmentSecrets']): (line: string) => string {
  const own = secretValues(secrets).map(({ value }) => value);
  known = [...new Set([...known, ...own])].toSorted((a, b) => b.length - a.length);
  return (line) => {
    let text = line;
    for (const literal of known) text = text.replaceAll(literal, HIDDEN);
    for (const [pattern, replacement] of PATTERNS) text = text.replace(pattern, replacement);
    return text.replace(TOKEN, (word, rest?: string) => (rest === undefined ? word : HIDDEN));
  };
}
