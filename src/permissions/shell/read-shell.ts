import { normalize } from 'node:path/posix';
import { asShadows, part, shadowsOf, withDoubt } from './command.js';
import type { Command, ReadInner } from './command.js';
import { WRAPPERS } from './programs/wrappers.js';
import type { ScriptPart } from './script.js';

/** Options of a shell that don't change the effect of a script. */
const FLAGS = /^-[aefhlmnptuvxBCHPE]*c[aefhlmnptuvxBCHPE]*$/;
const OTHER_FLAGS = /^(?:-[aefhlmnptuvxBCHPE]+|--(?:login|noprofile|norc|posix))$/;
/** Options with which an allow rule can cover the script. */
const PLAIN_FLAGS = /^-[eux]*c$/;
const IS_DEVICE = /^\/+(?:dev|proc)\//;
/** Standard input, and the files that a process has open, by their last names. */
const IS_INPUT = /(?:^|\/)(?:stdin|fd\/\d+)$/;
/** Texts that Bash reads otherwise than other shells. */
const BASH_ONLY = /\$['"[]|\(\(|\[\[|&>/;

/**
 * Reads a shell call: `bash -c "…"` is its script, `bash file` is a command. A shell that reads
 * standard input can run anything.
 */
export function readShell(command: Command, shell: string, readInner: ReadInner): ScriptPart[] {
  const { words } = command;
  let at = 1;
  while (OTHER_FLAGS.test(words[at]?.text ?? '') && !words[at]!.dynamic) at++;
  const word = words[at];
  if (!word || word.text === '-' || word.text === '--') return readsInput(command, readInner);
  const isScript = !word.dynamic && FLAGS.test(word.text);
  const script = isScript ? words[at + 1] : undefined;
  if (script && !script.dynamic && !/^[-+]/.test(script.text)) {
    if (shell !== 'bash' && BASH_ONLY.test(script.text)) return unclear(command, readInner);
    return readScript(command, { at, text: script.text }, readInner);
  }
  if (!word.dynamic && isInput(word.text)) return readsInput(command, readInner);
  const isFile = at === 1 && !word.dynamic && !/^[-+]/.test(word.text);
  // Without a slash it may be a program of PATH: one that runs others hides what it runs.
  if (!isFile || Object.hasOwn(WRAPPERS, word.text)) return unclear(command, readInner);
  return [part(command, { whole: true }), ...shadowsOf(command, readInner)];
}

function isInput(path: string): boolean {
  return IS_INPUT.test(path) || IS_DEVICE.test(normalize(path));
}

/** A rule can allow the script itself if the shell gets nothing else than the script. */
function readScript(
  command: Command,
  { at, text }: { readonly at: number; readonly text: string },
  readInner: ReadInner,
): ScriptPart[] {
  const { words } = command;
  const inner = readInner(text);
  const isAlone = at === 1 && words.length === 3 && PLAIN_FLAGS.test(words[1]!.text);
  const isEmpty = !inner.some((p) => p.kind !== 'command' || !p.shadow);
  if (!isAlone || isEmpty || words[0]!.text.includes('/'))
    return [part(command, { whole: true }), ...asShadows(inner)];
  return [part(command, { shadow: true }), ...withDoubt(inner, command.doubt)];
}

function unclear(command: Command, readInner: ReadInner): ScriptPart[] {
  return [part(command, { whole: true, opaque: true }), ...shadowsOf(command, readInner)];
}

function readsInput(command: Command, readInner: ReadInner): ScriptPart[] {
  const doubt = command.doubt ?? 'it runs what it reads on its input';
  return [part({ ...command, doubt }, { opaque: true }), ...shadowsOf(command, readInner)];
}
