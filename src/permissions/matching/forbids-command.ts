import type { Effort } from '../../matching/effort.js';
import { isNameUnknown } from '../shell/script.js';
import type { Word } from '../shell/script.js';

/** Long options and their usual short forms. */
const LETTER_OF: Readonly<Record<string, string>> = {
  recursive: 'r',
  force: 'f',
  all: 'a',
  delete: 'd',
  output: 'o',
  global: 'g',
  yes: 'y',
  interactive: 'i',
  quiet: 'q',
};

/** The command that a rule names. */
export interface Forbidden {
  readonly prefix: readonly string[];
  readonly exact: boolean;
  readonly effort: Effort;
}

/** Steps to compare a name, and one of the other words, besides one for each character. */
const COST = { name: 60, word: 150 };

/**
 * Checks if a command is one that a rule names, in any order, spelling and grouping of its options:
 * `rm -fr`, `rm -r -f`, `/bin/rm --force --recursive` for `rm -rf`. `maybe` if a word that decides
 * is known only at run time.
 */
export function forbids(
  words: readonly Word[],
  { prefix, exact, effort }: Forbidden,
): boolean | 'maybe' {
  const [wantedName = '', ...wanted] = prefix;
  const [name, ...rest] = words;
  if (!name) return false;
  effort.spend(COST.name + name.text.length);
  const isName = compareNames(name, wantedName);
  if (isName === false) return false;
  if (exact && rest.length !== wanted.length && !rest.some(({ splits }) => splits)) return false;
  effort.spend(rest.reduce((sum, word) => sum + COST.word + word.text.length, 0));
  const hasRest = compareRest(rest, wanted);
  if (hasRest === false) return false;
  return isName === 'maybe' || hasRest === 'maybe' ? 'maybe' : true;
}

function compareNames(word: Word, wanted: string): boolean | 'maybe' {
  const { text, dynamic } = word;
  const name = baseName(text);
  const sought = baseName(wanted);
  if (!dynamic) return name === sought;
  if (isNameUnknown(word)) return 'maybe';
  return text.endsWith('/') || text === '' || sought.startsWith(name) ? 'maybe' : false;
}

function baseName(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.exe$/, '');
}

function compareRest(words: readonly Word[], wanted: readonly string[]): boolean | 'maybe' {
  const isKnown = !words.some(({ dynamic }) => dynamic);
  const options = new Set(words.flatMap(({ text }) => optionsIn(text)));
  const missing = wanted.flatMap(optionsIn).filter((option) => !hasOption(options, option));
  const operands = wanted.filter((word) => !isOption(word));
  const hasOperands = countOperands(words, operands) === operands.length;
  if (missing.length === 0 && hasOperands) return true;
  if (isKnown) return false;
  const known = words.slice(
    0,
    words.findIndex(({ dynamic }) => dynamic),
  );
  return hasOperands || couldBegin(known, operands) ? 'maybe' : false;
}

/**
 * True if the known operands agree with the operands of the rule, up to the end of the shorter
 * list.
 */
function couldBegin(known: readonly Word[], operands: readonly string[]): boolean {
  const count = countOperands(known, operands);
  if (count === operands.length) return true;
  const taken = known.filter(({ text }) => !isOption(text)).length;
  return taken <= count || hasOptionsBefore(known);
}

function hasOptionsBefore(words: readonly Word[]): boolean {
  return words.some(({ text }) => isOption(text));
}

/**
 * Counts the operands that stand there in this order, starting with the first word. A word after an
 * option may be the value of that option; it is skipped if that gives a match.
 */
function countOperands(words: readonly Word[], operands: readonly string[]): number {
  let next = 0;
  let afterOption = false;
  for (const { text } of words) {
    if (next === operands.length) return next;
    if (isOption(text)) afterOption = text !== '--';
    else if (text === operands[next]) {
      next++;
      afterOption = false;
    } else if (afterOption) afterOption = false;
    else return next;
  }
  return next;
}

function isOption(word: string): boolean {
  return /^-./s.test(word);
}

/** The options in a word: `-rf` → `r`, `f`; `--force=x` → `--force`. */
function optionsIn(word: string): string[] {
  if (!isOption(word) || word === '--') return [];
  if (word.startsWith('--')) return [word.replace(/=.*/s, '')];
  return Array.from(word.slice(1), (letter) => (letter === 'R' ? 'r' : letter));
}

function hasOption(options: ReadonlySet<string>, wanted: string): boolean {
  if (options.has(wanted)) return true;
  if (wanted.startsWith('--')) return hasLong(options, wanted.slice(2));
  return [...options].some((option) => option.startsWith('--') && letterOf(option) === wanted);
}

/** True if the option is present, also abbreviated or as its short form. */
function hasLong(options: ReadonlySet<string>, name: string): boolean {
  const letter = Object.hasOwn(LETTER_OF, name) ? LETTER_OF[name] : undefined;
  if (letter !== undefined && options.has(letter)) return true;
  return [...options].some((option) => option !== '--' && `--${name}`.startsWith(option));
}

function letterOf(option: string): string | undefined {
  const name = option.slice(2);
  const full = Object.keys(LETTER_OF).find((known) => name !== '' && known.startsWith(name));
  return full && LETTER_OF[full];
}
