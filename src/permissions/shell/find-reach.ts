import {
  GIT_OPTIONS,
  RISKY_OPTIONS,
  RISKY_SUBCOMMANDS,
  RUNS_ARGUMENTS,
  RUNS_CODE,
  RUNS_FIRST_ARGUMENT,
} from './programs.js';
import type { RiskyOptions } from './programs.js';
import type { CommandPart, Word } from './script.js';

type Reach = Pick<CommandPart, 'must_name' | 'whole' | 'opaque'>;

const WHOLE: Reach = { must_name: 1, whole: true, opaque: false };
const OPAQUE: Reach = { must_name: 1, whole: true, opaque: true };
const PLAIN: Reach = { must_name: 1, whole: false, opaque: false };
const AWK = /^[gmn]?awk$/;
/** The dynamic loader, which runs the program that it is given. */
const LOADER = /^ld(?:-linux.*|-musl.*|64)?\.so(?:\.\d+)*$/;
const GIT_CONFIGURES = /^(?:-c|--config-env|--exec-path)/;
const AWK_RUNS = /system|getline|[|@]|^-/;

/**
 * The number of words that an allow rule has to name, so that the other words can't change the
 * effect of the command.
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
  return isRisky(program, words) ? OPAQUE : PLAIN;
}

function reachOfInterpreter(words: readonly Word[]): Reach {
  const first = words[1];
  const isKnown = first && !first.dynamic && !first.text.startsWith('-');
  return isKnown ? { must_name: 2, whole: false, opaque: false } : OPAQUE;
}

/** Git options before the subcommand can set an alias, a pager or another folder. */
function reachOfGit(words: readonly Word[]): Reach {
  const subcommand = words[1];
  if (!subcommand) return PLAIN;
  if (words.some(({ text }) => GIT_CONFIGURES.test(text))) return OPAQUE;
  if (subcommand.dynamic || subcommand.text.startsWith('-')) return WHOLE;
  return hasOption(words, GIT_OPTIONS) || isRisky('git', words) ? WHOLE : PLAIN;
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
  return words.slice(1).some(({ text, dynamic, splits }) => {
    if (dynamic && (splits || text === '' || text.startsWith('-'))) return true;
    if (exact.includes(text)) return true;
    if (text.startsWith('--')) return isLong(text.slice(2), long);
    return (
      text.startsWith('-') && Array.from(text.slice(1)).some((letter) => short.includes(letter))
    );
  });
}

function isLong(text: string, long: readonly string[]): boolean {
  const [name = ''] = text.split('=');
  return name !== '' && long.some((option) => option.startsWith(name));
}
