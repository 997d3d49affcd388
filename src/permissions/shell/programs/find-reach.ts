import {
  CHANGES_FILES,
  COPIES,
  GIT_LISTS,
  GIT_OPTIONS,
  KNOWN_OPTIONS,
  NPM_VALUES,
  PLAIN_GIT,
  PLAIN_NPM,
  PLAIN_PROGRAMS,
  RISKY_OPTIONS,
  RISKY_SUBCOMMANDS,
  RUNS_ARGUMENTS,
  RUNS_CODE,
  RUNS_FIRST_ARGUMENT,
  START_SHELLS,
} from './programs.js';
import type { RiskyOptions } from './programs.js';
import { findKnownCall } from './known-calls.js';
import { editsPlainly, isPlainAwk, isPlainSed } from './plain-code.js';
import { findRemote } from './git-remotes.js';
import { isNameUnknown } from '../script.js';
import type { CommandPart, Word } from '../script.js';

type Reach = Pick<CommandPart, 'whole' | 'unlisted' | 'opaque'> &
  Partial<Pick<CommandPart, 'must_name'>>;

const WHOLE: Reach = { whole: true, unlisted: false, opaque: false };
const OPAQUE: Reach = { whole: true, unlisted: false, opaque: true };
const PLAIN: Reach = { whole: false, unlisted: false, opaque: false };
const UNLISTED: Reach = { whole: true, unlisted: true, opaque: false };
const AWK = /^[gmn]?awk$/;
/** The dynamic loader, which runs the program that it is given. */
const LOADER = /^ld(?:-linux.*|-musl.*|64)?\.so(?:\.\d+)*$/;
const GIT_CONFIGURES = /^(?:-c|--config-env|--exec-path)/;
/** The folder `.git` in a path, also attached to an option. */
const NAMES_GIT_FOLDER = /\.git(?:\/|$)/i;
const READS_CODE =
  /^(?:.*\/)?(?:[a-z]*sh|python[\d.]*|pypy\d?|perl|ruby|node|deno|bun|php|lua|luajit|[gmn]?awk|sqlite3|psql|mysql|make|xargs)$/s;
/** Standard input as a file, under the names that it has. */
const IS_INPUT = /(?:^|\/)(?:stdin|fd\/\d+)$|^-$/;
const ASKS_DATABASES: ReadonlySet<string> = new Set(['psql', 'mysql', 'sqlite3']);
/** Code that a client of a database is given as an argument. */
const GIVES_SQL = /^(?:-\w*[ce]|--(?:command|execute)(?:=.*)?)$/s;
const AWK_RUNS = /system|getline|[|@]|^-/;

/**
 * Finds how far words that an allow rule does not name can change the effect of the command.
 */
export function findReach(words: readonly Word[]): Reach {
  const name = words[0]!.text.slice(words[0]!.text.lastIndexOf('/') + 1).replace(/\.exe$/i, '');
  // regex: the look-behind fixes where it begins
  const program = name.replace(/(?<=^(?:python|pypy|ruby|lua|php|node)\d?)[\d.]+$/, '');
  const named = findKnownCall(words);
  if (named !== undefined) return { ...PLAIN, must_name: named };
  if (isNameUnknown(words[0]!)) return OPAQUE;
  if (onlyPrints(words)) return PLAIN;
  if (program === 'printf') return OPAQUE;
  if (program === 'sed') return editsPlainly(words) ? WHOLE : OPAQUE;
  if (AWK.test(program))
    return words.some(({ text, dynamic }) => dynamic || AWK_RUNS.test(text)) ? OPAQUE : WHOLE;
  if (RUNS_CODE.has(program) || LOADER.test(program) || program.endsWith('sh')) return OPAQUE;
  if (program === '.' || program === 'source') return namesFile(words) ? WHOLE : OPAQUE;
  if (START_SHELLS.has(program)) return OPAQUE;
  if (ASKS_DATABASES.has(program)) return reachOfSql(program, words);
  if (RUNS_ARGUMENTS.has(program))
    return words.slice(1).some(mayBeShell) ? OPAQUE : reachOfCode(words, EXPANDS);
  if (RUNS_FIRST_ARGUMENT.has(program)) return reachOfInterpreter(words);
  if (program === 'git') return reachOfGit(words);
  if (isRisky(program, words)) return OPAQUE;
  if (CHANGES_FILES.has(program) && words.slice(1).some(mayNameGitFolder)) return WHOLE;
  if (COPIES.has(program) && hidesDestination(words)) return WHOLE;
  if (isPlain(program, words)) return PLAIN;
  const isCode = words.slice(1).some((word) => mayBeShell(word) || HIDES_CODE.test(word.text));
  return { ...UNLISTED, opaque: isCode };
}

/** Expansions and escapes of shells and other languages: `c$@url`, `c[u]rl`, `\143url`. */
const EXPANDS = /[$`*?[{\\]/;

/** Expansions and escapes that are rare in arguments that are not code. */
const HIDES_CODE = /[$`\\]/;

/** Commands of database clients, which can run programs. */
const LEAVES_SQL = /(?:^|[\n;])[ \t]*(?:\.|system\b)|[\\|`]/i;

/** The arguments are code: words that a rule forbids can be spelt otherwise in it. */
function reachOfCode(words: readonly Word[], hides: RegExp): Reach {
  return words.slice(1).some(({ text }) => hides.test(text) || IS_INPUT.test(text))
    ? OPAQUE
    : WHOLE;
}

/** Without code as an argument, the client reads it on its input. */
function reachOfSql(program: string, words: readonly Word[]): Reach {
  const isGiven = words.some(({ text }) => GIVES_SQL.test(text));
  const isSeen = isGiven || (program === 'sqlite3' && words.length > 2);
  return isSeen ? reachOfCode(words, LEAVES_SQL) : OPAQUE;
}

/** A program that is not known may run it, and the shell what it reads on its input. */
function mayBeShell({ text, dynamic }: Word): boolean {
  return !dynamic && READS_CODE.test(text);
}

/** True for calls that only print, of programs that can also run or write something. */
function onlyPrints(words: readonly Word[]): boolean {
  const program = words[0]!.text;
  switch (program) {
    case 'sed':
      return isPlainSed(words);
    case 'uniq':
    case 'xxd':
      return hasOneOperand(words);
    case 'date':
      return isPlainDate(words);
    case 'command':
      return isQuery(words);
    case 'printf':
      return isPlainPrintf(words);
    default:
      return AWK.test(program) && isPlainAwk(words);
  }
}

/** Others than `+%F` and the value of `-d` set the time; `-f` reads a file. */
function isPlainDate(words: readonly Word[]): boolean {
  return words.slice(1).every(({ text, dynamic }, at) => {
    const isValue = /^(?:-d|--date)$/.test(words[at]!.text);
    return (
      !dynamic && (isValue || /^(?:\+|-[uRI]+$|-d$|--(?:date|utc|iso-8601)(?:=|$))/.test(text))
    );
  });
}

/** With a second operand, these write a file. */
function hasOneOperand(words: readonly Word[]): boolean {
  const operands = words.slice(1).filter(({ text }) => !/^-./s.test(text));
  if (words.some(({ text }) => text === '--')) return false;
  return operands.length <= 1 && !operands.some(({ dynamic }) => dynamic);
}

/** True if it runs the file that its argument names: without a slash, one in PATH. */
function namesFile(words: readonly Word[]): boolean {
  const [, file] = words;
  if (file === undefined || file.dynamic || IS_INPUT.test(file.text)) return false;
  return /^[^-].*\/|^\//s.test(file.text);
}

function reachOfInterpreter(words: readonly Word[]): Reach {
  const first = words[1];
  const isKnown =
    first && !first.dynamic && !first.text.startsWith('-') && !IS_INPUT.test(first.text);
  return isKnown ? WHOLE : OPAQUE;
}

/** Git runs what the files in its folder name: hooks, and programs of its configuration. */
function mayNameGitFolder({ text, dynamic, pattern }: Word): boolean {
  if (!dynamic) return NAMES_GIT_FOLDER.test(text);
  return pattern === undefined || pattern.split(/[/=]/).some(mayMatchGit);
}

/** True if it is known only at run time where the command writes: a link to `.git` can be there. */
function hidesDestination(words: readonly Word[]): boolean {
  const hasLateOption = words.at(-1)!.text.startsWith('-');
  const isNamed = hasLateOption || words.some(({ text }) => /^-[^-]*t|^--t/.test(text));
  return isNamed ? words.some(({ dynamic }) => dynamic) : words.at(-1)!.dynamic;
}

/** True for `.git`, and for wildcards that can match it; those never match the dot. */
function mayMatchGit(segment: string): boolean {
  const at = segment.search(/[*?[]/);
  if (at < 0 || NAMES_GIT_FOLDER.test(segment)) return NAMES_GIT_FOLDER.test(segment);
  return segment.startsWith('.') && '.git'.startsWith(segment.slice(0, at).toLowerCase());
}

/** `%n` would set the variable that an argument names, as would the option `-v`. */
const PRINTF_FORMAT = /^(?:[^%]|%%|%[-+ #'\d.]*(?:[bcdeEfgGiosuxXq]|\([^()]*\)T))*$/s;

/** True for a `printf` whose format is literal and only inserts values. */
function isPlainPrintf(words: readonly Word[]): boolean {
  const format = words[words[1]?.text === '--' ? 2 : 1];
  if (!format || format.dynamic) return false;
  return (words[1]!.text === '--' || !/^-./s.test(format.text)) && PRINTF_FORMAT.test(format.text);
}

/** True for `command -v git`, which runs nothing. */
function isQuery(words: readonly Word[]): boolean {
  const [, option, ...names] = words;
  if (!option || option.dynamic || !/^-[vV]$/.test(option.text)) return false;
  return names.every(({ text, dynamic }) => !dynamic && !text.startsWith('-'));
}

/** Git options before the subcommand can set an alias, a pager or another folder. */
function reachOfGit(words: readonly Word[]): Reach {
  const subcommand = words[1];
  if (!subcommand) return PLAIN;
  const hasOptions = subcommand.text.startsWith('-');
  if (hasOptions && words.some(({ text }) => GIT_CONFIGURES.test(text))) return OPAQUE;
  if (words.some((word, at) => word.dynamic && mayBeOption(word) && !isMessage(words[at - 1])))
    return OPAQUE;
  if (hasOption(words, GIT_LISTS)) return OPAQUE;
  if (subcommand.dynamic || hasOptions) return WHOLE;
  if (hasOption(words, GIT_OPTIONS) || isRisky('git', words)) return reachOfCode(words, EXPANDS);
  const isPlainGit = words[0]!.text === 'git' && PLAIN_GIT.has(subcommand.text);
  if (!isPlainGit && !isPlainRemote(words)) return UNLISTED;
  const remote = findRemote(words);
  if (remote === 'unclear' || words.some((word, at) => at !== remote.url && mayNameGitFolder(word)))
    return WHOLE;
  return remote.name === undefined ? PLAIN : { ...PLAIN, must_name: remote.name + 1 };
}

function isMessage(word: Word | undefined): boolean {
  return word !== undefined && /^(?:-m|--message)$/.test(word.text);
}

/** True for `git remote` if it only lists. */
function isPlainRemote(words: readonly Word[]): boolean {
  const [, subcommand, ...rest] = words.map(({ text }) => text);
  if (subcommand !== 'remote') return false;
  return rest[0] === 'get-url' || /^(?:-v|--verbose)?$/.test(rest.join(' '));
}

function isPlain(program: string, words: readonly Word[]): boolean {
  if (words[0]!.text.includes('/')) return false;
  const known = Object.hasOwn(KNOWN_OPTIONS, program) ? KNOWN_OPTIONS[program]! : undefined;
  if (!known) return PLAIN_PROGRAMS.has(program);
  const end = program === 'npm' ? words.findIndex(({ text }) => text === '--') : -1;
  if (program === 'npm' && !isPlainNpm(words)) return false;
  const [own, forScript] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end + 1)];
  if (forScript.some(mayBeOption) || installsFrom(own)) return false;
  return own
    .slice(1)
    .every((word) => !mayBeOption(word) || (!word.dynamic && known.has(nameOf(word.text))));
}

const INSTALLS: ReadonlySet<string> = new Set(
  'install i in ins inst insta instal isnt isnta isntal isntall add update up upgrade link ln'.split(
    ' ',
  ),
);
const PACKAGE = /^(?:@[\w.-]+\/)?\w[\w.-]*(?:@[\w.^~*<>=-]*)?$/;
const ARCHIVE = /\.(?:tgz|tar|tar\.gz)$/i;

/** True if it may install what is no package of the registry: a folder has scripts of its own. */
function installsFrom(words: readonly Word[]): boolean {
  const [subcommand, ...packages] = words.slice(1).filter(({ text }) => !text.startsWith('-'));
  if (!subcommand || !(subcommand.dynamic || INSTALLS.has(subcommand.text))) return false;
  return packages.some(({ text, dynamic }) => dynamic || !PACKAGE.test(text) || ARCHIVE.test(text));
}

function isPlainNpm(words: readonly Word[]): boolean {
  const subcommand = words.find(
    ({ text, dynamic }, at) =>
      at > 0 && (dynamic || !text.startsWith('-')) && !NPM_VALUES.has(words[at - 1]!.text),
  );
  return !subcommand || (!subcommand.dynamic && PLAIN_NPM.has(subcommand.text));
}

/** Wildcards expand to words that begin as they do. */
function mayBeOption({ text, dynamic, splits, pattern }: Word): boolean {
  return text.startsWith('-') || (dynamic && (text === '' || (splits && pattern === undefined)));
}

/** The name of an option, without its value. */
function nameOf(option: string): string {
  return option.replace(/=.*/s, '');
}

function isRisky(program: string, words: readonly Word[]): boolean {
  const options = Object.hasOwn(RISKY_OPTIONS, program) ? RISKY_OPTIONS[program] : undefined;
  if (options && hasOption(words, options)) return true;
  const subcommands = Object.hasOwn(RISKY_SUBCOMMANDS, program)
    ? RISKY_SUBCOMMANDS[program]!
    : undefined;
  if (!subcommands) return false;
  const name = words.slice(1).find(({ text, dynamic }) => dynamic || !text.startsWith('-'));
  if (!name) return false;
  if (name.dynamic) return true;
  const risk = Object.hasOwn(subcommands, name.text) ? subcommands[name.text] : undefined;
  return risk === true || (risk !== undefined && hasOption(words, { short: risk }));
}

/**
 * True if one of the words is such an option, or is dynamic and could become one. Long options may
 * be abbreviated.
 */
function hasOption(
  words: readonly Word[],
  { short = '', long = [], words: exact = [], list, code, literal = false }: RiskyOptions,
) {
  return words.slice(1).some((word) => {
    const { text, dynamic } = word;
    if (dynamic && !literal && mayBeOption(word)) return true;
    if (code?.test(text)) return true;
    if (list !== undefined && text.startsWith(list)) return true;
    if (exact.includes(nameOf(text).replace(/^--/, '-'))) return true;
    if (text.startsWith('--')) return isLong(text.slice(2), long);
    return (
      text.startsWith('-') && Array.from(text.slice(1)).some((letter) => short.includes(letter))
    );
  });
}

function isLong(text: string, long: readonly string[]): boolean {
  const name = nameOf(text);
  return name !== '' && long.some((option) => option.startsWith(name));
}
