import { readFileSync } from 'node:fs';
import { decodeText } from '../../kernel/text/decode-text.js';
import { ConfigError } from '../../config/config-error.js';
import { LinearRegex } from '../../matching/linear-regex.js';
import { messageOf } from '../../kernel/app-error.js';

/** Matches are replaced by `replacement`, and counted under `name`. */
export interface RedactPattern {
  readonly name: string;
  readonly regex: LinearRegex;
  readonly replacement: string;
}

const VARIABLE = 'REDACT_PATTERNS';
const FIELDS = ['name', 'pattern', 'replacement'];
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_PATTERNS = 50;
/** Characters. */
const MAX_PATTERN = 1000;
const MAX_REPLACEMENT = 200;
/** Instructions of all compiled patterns: the time to search a text is in proportion to them. */
const MAX_SIZE = 4000;
/** Safe inside of `[redacted: …]`. */
const NAME = /^[\p{L}\p{N}_.-](?:[\p{L}\p{N}_. -]{0,62}[\p{L}\p{N}_.-])?$/u;
/** Texts in which a useful pattern has no empty match. */
const SAMPLES = ['', 'a', ' ', '0', 'a b\n', '-'];

/**
 * The patterns of the file at `path`, in its order; none without a path.
 * @throws ConfigError with every fault, by entry
 */
export function openRedactPatterns(path: string | undefined): readonly RedactPattern[] {
  if (path === undefined) return [];
  const list = parse(read(path), path);
  const faults: string[] = [];
  const patterns = list.flatMap((entry, index) => {
    try {
      return [toPattern(entry)];
    } catch (error) {
      faults.push(`[${index}]${(error as Error).message}`);
      return [];
    }
  });
  const names = patterns.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) faults.push(`: two patterns are called "${twice}"`);
  const size = patterns.reduce((sum, { regex }) => sum + regex.size, 0);
  if (size > MAX_SIZE)
    faults.push(
      `: the patterns are too large together (${size} instructions, at most ${MAX_SIZE}); use fewer, or shorter repetitions than {1,1000}`,
    );
  if (faults.length > 0) throw refusal(faults.map((fault) => `${path}${fault}`));
  return patterns;
}

function read(path: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length <= MAX_FILE_BYTES) return decodeText(bytes);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : `can't be read (${code})`;
    throw refusal([`${path}: ${why}`], cause);
  }
  throw refusal([`${path}: has more than ${MAX_FILE_BYTES} bytes`]);
}

function parse(text: string, path: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // The message of the parser may quote the file.
    throw refusal([`${path}: is not valid JSON`], cause);
  }
  if (!Array.isArray(value))
    throw refusal([`${path}: has to be a list of {"name", "pattern", "replacement"?}`]);
  if (value.length <= MAX_PATTERNS) return value;
  throw refusal([`${path}: has ${value.length} patterns, at most ${MAX_PATTERNS} are allowed`]);
}

/** @throws Error with the field and its fault */
function toPattern(entry: unknown): RedactPattern {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw new Error(': has to be an object');
  const unknown = Object.keys(entry).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw new Error(`.${unknown}: is not one of ${FIELDS.join(', ')}`);
  const { name, pattern, replacement } = entry as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || !NAME.test(name))
    throw new Error('.name: has to be 1 to 64 letters, digits, spaces or any of _ . -');
  if (typeof pattern !== 'string' || pattern === '' || pattern.length > MAX_PATTERN)
    throw new Error(`.pattern: has to be a text of 1 to ${MAX_PATTERN} characters`);
  const shown = replacement ?? `[redacted: ${name}]`;
  if (typeof shown !== 'string' || shown.length > MAX_REPLACEMENT)
    throw new Error(`.replacement: has to be a text of at most ${MAX_REPLACEMENT} characters`);
  return { name, regex: compile(pattern), replacement: shown };
}

function compile(pattern: string): LinearRegex {
  let regex: LinearRegex;
  try {
    regex = LinearRegex.compile(pattern);
  } catch (cause) {
    const why = messageOf(cause);
    throw new Error(`.pattern: is not a valid RE2 expression (${why})`, { cause });
  }
  if (!regex.matchesEmptyIn(...SAMPLES)) return regex;
  throw new Error('.pattern: matches the empty string; require at least one character');
}

function refusal(problems: readonly string[], cause?: unknown): ConfigError {
  const faults = problems.map((problem) => ({ variable: VARIABLE, problem }));
  return new ConfigError(faults, cause === undefined ? undefined : { cause });
}
