import { LinearRegex } from './linear-regex.js';

/**
 * Tokens of a glob: `?`, `*` (within a folder), `**` (across folders), `[a-z]`, `{a,b}`. A
 * backslash escapes the next character.
 */
// regex: patterns have at most 1,000 characters
const TOKEN =
  /\\(?<escaped>[\s\S])|(?<deep>\*\*\/|\/\*\*$|\*\*)|(?<set>\[!?[^\]/\\]+\])|(?<other>[\s\S])/g;

/** @throws Error if the pattern is malformed */
export function compileGlob(pattern: string, { ignoreCase = false } = {}): LinearRegex {
  let open = 0;
  const source = pattern.replace(TOKEN, (...args) => {
    const { escaped, deep, set, other } = args.at(-1) as Record<string, string | undefined>;
    if (escaped !== undefined) return literal(escaped);
    if (deep !== undefined) return DEEP[deep]!;
    if (set !== undefined) return `[${set.slice(1, -1).replace(/^[!^]/, '^/')}]`;
    if (other === '{') open++;
    if (other === '}') open--;
    return translate(other!, open + (other === '}' ? 1 : 0));
  });
  if (open !== 0) throw new Error('its braces don’t match');
  return LinearRegex.compile(source, { dotAll: true, ignoreCase });
}

const DEEP: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '/**': '(?:/.*)', '**': '.*' };

function translate(character: string, depth: number): string {
  if (character === '*') return '[^/]*';
  if (character === '?') return '[^/]';
  if (character === '{') return '(?:';
  if (character === '}' && depth > 0) return ')';
  if (character === ',' && depth > 0) return '|';
  return literal(character);
}

function literal(character: string): string {
  return /\w|[^\0-\x7f]/.test(character) ? character : `\\${character}`;
}

/** Escapes a text, so that the pattern matches exactly this text. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]{}]/g, '\\$&');
}
