import { findReach } from './programs/find-reach.js';
import { RUNS_ARGUMENTS, SHELLS } from './programs/programs.js';
import { asShadows, part, shadowsOf, withDoubt, within } from './command.js';
import type { Command, ReadInner } from './command.js';
import { readFind } from './read-find.js';
import { readShell } from './read-shell.js';
import type { CommandPart, ScriptPart, Word } from './script.js';
import { Unreadable } from './script.js';
import { unwrap } from './programs/unwrap.js';
import type { Unwrapped } from './programs/unwrap.js';
import { WRAPPERS } from './programs/wrappers.js';

/**
 * Words that a shell does not take as the name of a command, also after `time`, where the grammar
 * doesn't recognize them.
 */
// regex: `.*` at its end always matches
const KEYWORD =
  /^(?:[{}!]|\[\[|\(\(|if|then|elif|else|fi|for|select|case|esac|while|until|do|done|in|function|\w+(?:\[.*\])?\+?=.*)$/s;
const MAX_WORDS = 2000;
const RUN_BUILTINS: ReadonlySet<string> = new Set(['command', 'builtin', 'exec']);

/** Builtins of shells with which later words mean something else, or run later. */
const SHELL_STATE: ReadonlySet<string> = new Set(
  `. source eval alias unalias enable complete compopt bind let declare typeset local readonly export unset set shopt
  hash trap read mapfile readarray getopts coproc`.split(/\s+/),
);
/** Options of `set` that only end scripts earlier, or show what runs. */
const SAFE_SET = /^(?:-[eux]+|-[eux]*o pipefail)$/;

/**
 * The command itself, and the commands that it runs. Wrappers are unwrapped if that is exact.
 * Otherwise an allow rule has to name the command itself, and everything in it that could be a
 * command is added as a shadow, for rules that forbid.
 */
export function readCommand(command: Command, readInner: ReadInner): ScriptPart[] {
  const { words } = command;
  const [name] = words;
  if (words.length > MAX_WORDS) throw new Unreadable(`has more than ${MAX_WORDS} words`);
  if (!name) return [part(command)];
  if (KEYWORD.test(name.text)) throw new Unreadable('has a keyword where a command is expected');
  const base = name.text.slice(name.text.lastIndexOf('/') + 1);
  const doubt = describeDoubt(base, words);
  return withDoubt(readNamed(command, base, readInner), command.doubt ?? doubt);
}

function readNamed(command: Command, base: string, readInner: ReadInner): ScriptPart[] {
  const { words } = command;
  const wrapper = Object.hasOwn(WRAPPERS, base) ? WRAPPERS[base] : undefined;
  if (wrapper && !isQuery(base, command)) return readWrapped(command, wrapper, readInner);
  if (base === 'find') return readFind(command, readInner, readCommand);
  if (base === 'eval') return readEval(command, readInner);
  if (SHELLS.has(base)) return readShell(command, base, readInner);
  const own = part(command, findReach(words));
  const runsOthers = RUNS_ARGUMENTS.has(base) || own.must_name > 1;
  return runsOthers ? [own, ...shadowsOf(command, readInner)] : [own];
}

function readWrapped(
  command: Command,
  wrapper: (typeof WRAPPERS)[string],
  readInner: ReadInner,
): ScriptPart[] {
  const inner = unwrap(command.words, wrapper);
  if (inner === 'none' && wrapper.appends)
    return readWrapped(runsEcho(command), wrapper, readInner);
  if (inner === 'none') return [part(command, { whole: true })];
  if (inner === 'inexact' || runsBuiltin(command, inner))
    return [part(command, { whole: true, opaque: true }), ...shadowsOf(command, readInner)];
  const parts = readUnwrapped(command, inner, readInner);
  const isChanged = wrapper.changes === true || command.words[0]!.text.includes('/');
  return isChanged
    ? changed(command, inner.at, parts)
    : [part(command, { shadow: true }), ...parts];
}

/** `xargs` without a command. */
function runsEcho(command: Command): Command {
  const echo = { text: 'echo', dynamic: false, splits: false };
  return { ...command, words: [...command.words, echo] };
}

/** True where a program has the name of a builtin: it may do anything else. */
function runsBuiltin({ words: [wrapper] }: Command, { words: [name] }: Unwrapped): boolean {
  return !/^(?:command|builtin)$/.test(wrapper!.text) && RUN_BUILTINS.has(name!.text);
}

function readUnwrapped(
  command: Command,
  { words, assigns }: Unwrapped,
  readInner: ReadInner,
): ScriptPart[] {
  const parts = readCommand(within(command, { words }), readInner);
  if (!assigns) return parts;
  const doubt = 'it changes the variables of a command';
  return [
    { kind: 'other', source: command.source, opaque: true, doubt },
    ...withDoubt(parts, doubt),
  ];
}

/** The rule has to name the wrapper and the command that it runs. */
function changed(command: Command, at: number, parts: readonly ScriptPart[]): ScriptPart[] {
  const real = parts.filter((p): p is CommandPart => p.kind === 'command' && !p.shadow);
  const [inner] = real;
  const isOne = real.length === 1 && inner !== undefined && inner.words.length > 0;
  const own = isOne
    ? part(command, {
        must_name: at + inner.must_name,
        whole: inner.whole,
        unlisted: inner.unlisted,
        ...(inner.doubt !== undefined && { doubt: inner.doubt }),
      })
    : part(command, { whole: true });
  return [own, ...asShadows(parts)];
}

function readEval(command: Command, readInner: ReadInner): ScriptPart[] {
  const { words } = command;
  if (words.length === 1) return [part(command)];
  if (words.some(({ dynamic }) => dynamic))
    return [part(command, { whole: true, opaque: true }), ...shadowsOf(command, readInner)];
  // Bash takes it for the end of the options.
  const script = words.slice(words[1]!.text === '--' ? 2 : 1).map(({ text }) => text);
  return [part(command, { whole: true }), ...asShadows(readInner(script.join(' ')))];
}

/** True for a query: `command -v git` prints the location and runs nothing. */
function isQuery(base: string, { words }: Command): boolean {
  return base === 'command' && /^-[vV]$/.test(words[1]?.text ?? '');
}

function describeDoubt(base: string, words: readonly Word[]): string | undefined {
  if (base === 'time') return 'time is a keyword of some shells and a program for others';
  return changesShell(base, words) ? `${base} changes what later commands do` : undefined;
}

/** True if the meaning of later commands depends on this one. */
function changesShell(name: string, words: readonly Word[]): boolean {
  const rest = words.slice(1).map(({ text }) => text);
  return SHELL_STATE.has(name) && !(name === 'set' && SAFE_SET.test(rest.join(' ')));
}
