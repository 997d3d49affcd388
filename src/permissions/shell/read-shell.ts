import { asShadows, part, shadowsOf, withDoubt } from './command.js';
import type { Command, ReadInner } from './command.js';
import type { ScriptPart } from './script.js';

/** Options that don't change what a script does: `-lc`, `-euxc`. */
const FLAGS = /^-[aefhlmnptuvxBCHPE]*c[aefhlmnptuvxBCHPE]*$/;
const OTHER_FLAGS = /^(?:-[aefhlmnptuvxBCHPE]+|--(?:login|noprofile|norc|posix))$/;

/** `bash -c "…"` is its script; `bash file` is a command; a shell that reads its input can run anything. */
export function readShell(command: Command, readInner: ReadInner): ScriptPart[] {
  const { words } = command;
  let at = 1;
  while (OTHER_FLAGS.test(words[at]?.text ?? '') && !words[at]!.dynamic) at++;
  const word = words[at];
  if (!word || word.text === '-' || word.text === '--') return readsInput(command, readInner);
  if (!word.dynamic && FLAGS.test(word.text)) return readScript(command, at + 1, readInner);
  if (at === 1 && !word.dynamic && !word.text.startsWith('-'))
    return [part(command, { must_name: 2 }), ...shadowsOf(command, readInner)];
  return [part(command, { whole: true, opaque: true }), ...shadowsOf(command, readInner)];
}

function readScript(command: Command, at: number, readInner: ReadInner): ScriptPart[] {
  const script = command.words[at];
  if (!script || script.dynamic || /^[-+]/.test(script.text))
    return [part(command, { whole: true, opaque: true }), ...shadowsOf(command, readInner)];
  const inner = readInner(script.text);
  if (command.words[0]!.text.includes('/'))
    return [part(command, { whole: true }), ...asShadows(inner)];
  return [part(command, { shadow: true }), ...withDoubt(inner, command.doubt)];
}

function readsInput(command: Command, readInner: ReadInner): ScriptPart[] {
  const doubt = command.doubt ?? 'runs what it reads on its input';
  return [part({ ...command, doubt }, { opaque: true }), ...shadowsOf(command, readInner)];
}
