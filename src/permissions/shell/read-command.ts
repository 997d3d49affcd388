import { findReach } from './find-reach.js';
import { RUNS_ARGUMENTS, SHELLS } from './programs.js';
import { asShadows, part, shadowsOf, withDoubt } from './command.js';
import type { Command, ReadInner } from './command.js';
import type { CommandPart, ScriptPart, Word } from './script.js';
import { Unreadable } from './script.js';
import { unwrap } from './unwrap.js';
import { WRAPPERS } from './wrappers.js';

const HARMLESS_VARIABLES =
  /^(?:LANG|LANGUAGE|LC_\w+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CI|COLUMNS|LINES|TERM|NODE_ENV)$/;
/**
 * Words that a shell does not take as the name of a command, also after `time`, where the grammar
 * doesn't recognize them.
 */
const KEYWORD =
  /^(?:[{}!]|\[\[|\(\(|if|then|elif|else|fi|for|select|case|esac|while|until|do|done|in|function|\w+(?:\[.*\])?\+?=.*)$/s;
const MAX_WORDS = 2000;

/**
 * The command itself, and the commands that it runs. Wrappers are unwrapped if that is exact.
 * Otherwise an allow rule has to name the command itself, and everything in it that could be a
 * command is added as a shadow, for rules that forbid.
 */
export function readCommand(command: Command, readInner: ReadInner): ScriptPart[] {
  const { words } = command;
  const [name] = words;
  if (words.length > MAX_WORDS) throw new Unreadable(`has more than ${MAX_WORDS} words`);
  if (!name) return [part(command, { doubt: 'has no command' })];
  if (!name.odd && KEYWORD.test(name.text))
    throw new Unreadable('has a keyword where a command is expected');
  const doubt = command.doubt ?? findDoubt(command, name);
  const known = { ...command, ...(doubt && { doubt }) };
  const base = baseName(name);
  const wrapper = Object.hasOwn(WRAPPERS, base) ? WRAPPERS[base] : undefined;
  if (wrapper && !isQuery(base, words)) return readWrapped(known, wrapper, readInner);
  if (base === 'find') return readFindCommands(known, (inner) => readCommand(inner, readInner));
  if (base === 'eval') return readEval(known, readInner);
  if (SHELLS.has(base)) return readShell(known, readInner);
  const own = part(known, findReach(words));
  return RUNS_ARGUMENTS.has(base) ? [own, ...shadowsOf(known, readInner)] : [own];
}

function readWrapped(
  command: Command,
  wrapper: (typeof WRAPPERS)[string],
  readInner: ReadInner,
): ScriptPart[] {
  const inner = unwrap(command.words, wrapper);
  if (inner === 'none') return [part(command, { whole: true })];
  if (inner === 'inexact')
    return [part(command, { whole: true, opaque: true }), ...shadowsOf(command, readInner)];
  const parts = readCommand({ ...command, ...inner, assigned: inner.assigned }, readInner);
  const isChanged = wrapper.changes !== undefined || command.words[0]!.text.includes('/');
  return isChanged ? changed(command, inner.at, parts) : transparent(command, parts);
}

/** The rule has to match the command that finally runs. */
function transparent(command: Command, parts: readonly ScriptPart[]): ScriptPart[] {
  return [part(command, { shadow: true }), ...parts];
}

/** The rule has to name the wrapper and the command that it runs. */
function changed(command: Command, at: number, parts: readonly ScriptPart[]): ScriptPart[] {
  const real = parts.filter((p): p is CommandPart => p.kind === 'command' && !p.shadow);
  const [inner] = real;
  const isPlain = real.length === 1 && inner !== undefined && inner.words.length > 0;
  const own = isPlain
    ? part(command, {
        must_name: at + inner.must_name,
        whole: inner.whole,
        unlisted: inner.unlisted,
        ...(inner.doubt !== undefined && { doubt: inner.doubt }),
      })
    : part(command, { whole: true });
  return [own, ...asShadows(parts), ...parts.filter((p) => p.kind !== 'command')];
}

function readEval(command: Command, readInner: ReadInner): ScriptPart[] {
  const { words } = command;
  if (words.length === 1) return [part(command)];
  if (words.some(({ dynamic }) => dynamic))
    return [part(command, { whole: true, opaque: true }), ...shadowsOf(command, readInner)];
  const script = words
    .slice(1)
    .map(({ text }) => text)
    .join(' ');
  return transparent(command, withDoubt(readInner(script), command.doubt));
}

function findDoubt({ assigned }: Command, name: Word): string | undefined {
  const variable = assigned.find((assignedName) => !HARMLESS_VARIABLES.test(assignedName));
  if (variable !== undefined) return `sets ${variable}, which can change what it does`;
  if (name.dynamic) return 'has a name that is known only when it runs';
  if (name.odd) return 'has a name that is written in pieces';
  if (!/^[\x21-\x7e]+$/.test(name.text)) return 'has a name with unusual characters';
  return undefined;
}

/** True for a query: `command -v git` prints the location and runs nothing. */
function isQuery(base: string, words: readonly Word[]): boolean {
  return base === 'command' && /^-\w*[vV]/.test(words[1]?.text ?? '');
}

function baseName({ text }: Word): string {
  return text.slice(text.lastIndexOf('/') + 1);
}

const EXECUTES = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** `find` itself, and each command that it executes. */
function readFindCommands(command: Command, read: (inner: Command) => ScriptPart[]): ScriptPart[] {
  const { words } = command;
  const own: Word[] = [];
  const parts: ScriptPart[] = [];
  for (let at = 0; at < words.length; at++) {
    if (!EXECUTES.has(words[at]!.text)) {
      own.push(words[at]!);
      continue;
    }
    const end = words.findIndex((word, index) => index > at && isEnd(word));
    if (end < 0 || words[at]!.dynamic) return [part(command, { whole: true })];
    const inner = words.slice(at + 1, end).map(withFound);
    parts.push(...read({ ...command, words: inner, assigned: [], inputs: [] }));
    at = end;
  }
  return [part({ ...command, words: own }, findReach(own)), ...parts];
}

function isEnd({ text, dynamic }: Word): boolean {
  return !dynamic && (text === ';' || text === '+');
}

/**
 * Replaces `{}`: the name of a found file, which begins with the folder that is searched, or with
 * `./`.
 */
function withFound(word: Word): Word {
  const at = word.text.indexOf('{}');
  if (at < 0) return word;
  return { text: word.text.slice(0, at), dynamic: true, splits: false, odd: false };
}

/** Options that don't change the effect of a script, `-euxc`, but for those of `LOGIN`. */
const FLAGS = /^-[aefhlmnptuvxBCHPE]*c[aefhlmnptuvxBCHPE]*$/;
const OTHER_FLAGS = /^(?:-[aefhlmnptuvxBCHPE]+|--(?:login|noprofile|norc|posix))$/;

/** A login shell first runs `.profile` of the workspace, which is its HOME. */
const LOGIN = /^(?:-[^-]*l|--login$)/;

/**
 * Reads a shell call: `bash -c "…"` is its script, `bash file` is a command. A shell that reads
 * standard input can run anything.
 */
function readShell(command: Command, readInner: ReadInner): ScriptPart[] {
  const { words } = command;
  let at = 1;
  while (OTHER_FLAGS.test(words[at]?.text ?? '') && !words[at]!.dynamic) at++;
  const word = words[at];
  if (!word || word.text === '-' || word.text === '--') return readsInput(command, readInner);
  if (!word.dynamic && FLAGS.test(word.text)) return readScript(command, at + 1, readInner);
  if (at === 1 && !word.dynamic && !word.text.startsWith('-'))
    return [part(command, { whole: true }), ...shadowsOf(command, readInner)];
  return [part(command, { whole: true, opaque: true }), ...shadowsOf(command, readInner)];
}

function readScript(command: Command, at: number, readInner: ReadInner): ScriptPart[] {
  const script = command.words[at];
  if (!script || script.dynamic || /^[-+]/.test(script.text))
    return [part(command, { whole: true, opaque: true }), ...shadowsOf(command, readInner)];
  const inner = readInner(script.text);
  const isLogin = command.words.slice(1, at).some(({ text }) => LOGIN.test(text));
  if (isLogin || command.words[0]!.text.includes('/'))
    return [part(command, { whole: true }), ...asShadows(inner)];
  return [part(command, { shadow: true }), ...withDoubt(inner, command.doubt)];
}

function readsInput(command: Command, readInner: ReadInner): ScriptPart[] {
  const doubt = command.doubt ?? 'runs what it reads on its input';
  return [part({ ...command, doubt }, { opaque: true }), ...shadowsOf(command, readInner)];
}
