import {
  GIT_OPTIONS,
  KNOWN_OPTIONS,
  MAKES_FILES,
  PLAIN_GIT,
  PLAIN_PROGRAMS,
  RISKY_OPTIONS,
  RISKY_SUBCOMMANDS,
  RUNS_ARGUMENTS,
  RUNS_CODE,
  RUNS_FIRST_ARGUMENT,
} from './programs.js';
import type { RiskyOptions } from './programs.js';
import type { CommandPart, Word } from './script.js';

type Reach = Pick<CommandPart, 'whole' | 'unlisted' | 'opaque'>;

const WHOLE: Reach = { whole: true, unlisted: false, opaque: false };
const OPAQUE: Reach = { whole: true, unlisted: false, opaque: true };
const PLAIN: Reach = { whole: false, unlisted: false, opaque: false };
const UNLISTED: Reach = { whole: true, unlisted: true, opaque: false };
const AWK = /^[gmn]?awk$/;
/** The dynamic loader, which runs the program that it is given. */
const LOADER = /^ld(?:-linux.*|-musl.*|64)?\.so(?:\.\d+)*$/;
const GIT_CONFIGURES = /^(?:-c|--config-env|--exec-path)/;
const GIT_FOLDER = '.git';
const AWK_RUNS = /system|getline|[|@]|^-/;

/**
 * Finds how far words that an allow rule does not name can change the effect of the command.
 */
export function findReach(words: readonly Word[]): Reach {
  const name = words[0]!.text.slice(words[0]!.text.lastIndexOf('/') + 1).replace(/\.exe$/i, '');
  const program = name.replace(/(?<=^(?:python|pypy|ruby|lua|php|node)\d?)[\d.]+$/, '');
  if (AWK.test(program))
    return words.some(({ text, dynamic }) => dynamic || AWK_RUNS.test(text)) ? OPAQUE : WHOLE;
  if (RUNS_CODE.has(program) || LOADER.test(program)) return OPAQUE;
  if (RUNS_ARGUMENTS.has(program)) return WHOLE;
  if (RUNS_FIRST_ARGUMENT.has(program)) return reachOfInterpreter(words);
  if (program === 'git') return reachOfGit(words);
  if (isRisky(program, words)) return OPAQUE;
  if (MAKES_FILES.has(program) && words.slice(1).some(mayNameGitFolder)) return WHOLE;
  return isPlain(program, words) ? PLAIN : UNLISTED;
}

function reachOfInterpreter(words: readonly Word[]): Reach {
  const first = words[1];
  const isKnown = first && !first.dynamic && !first.text.startsWith('-');
  return isKnown ? WHOLE : OPAQUE;
}

/** Git runs what the files in its folder name: hooks, and programs of its configuration. */
function mayNameGitFolder({ text, dynamic }: Word): boolean {
  const names = text.toLowerCase().split(/[/=]/);
  return names.includes(GIT_FOLDER) || (dynamic && GIT_FOLDER.startsWith(names.at(-1)!));
}

/** Git options before the subcommand can set an alias, a pager or another folder. */
function reachOfGit(words: readonly Word[]): Reach {
  const subcommand = words[1];
  if (!subcommand) return PLAIN;
  if (words.some(({ text }) => GIT_CONFIGURES.test(text))) return OPAQUE;
  if (subcommand.dynamic || subcommand.text.startsWith('-')) return WHOLE;
  if (hasOption(words, GIT_OPTIONS) || isRisky('git', words)) return WHOLE;
  const isPlainGit = words[0]!.text === 'git' && PLAIN_GIT.has(subcommand.text);
  return isPlainGit ? PLAIN : UNLISTED;
}

function isPlain(program: string, words: readonly Word[]): boolean {
  if (words[0]!.text.includes('/')) return false;
  const known = Object.hasOwn(KNOWN_OPTIONS, program) ? KNOWN_OPTIONS[program]! : undefined;
  if (!known) return PLAIN_PROGRAMS.has(program);
  return words
    .slice(1)
    .every((word) => !mayBeOption(word) || (!word.dynamic && known.has(nameOf(word.text))));
}

function mayBeOption({ text, dynamic, splits }: Word): boolean {
  return text.startsWith('-') || (dynamic && (splits || text === ''));
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
  { short = '', long = [], words: exact = [] }: RiskyOptions,
) {
  return words.slice(1).some((word) => {
    const { text, dynamic } = word;
    if (dynamic && mayBeOption(word)) return true;
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
