import type { Command } from './command.js';
import { part } from './command.js';
import { findReach } from './find-reach.js';
import type { ScriptPart, Word } from './script.js';

const EXECUTES = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** `find` itself, and each command that it executes. */
export function readFindCommands(
  command: Command,
  read: (inner: Command) => ScriptPart[],
): ScriptPart[] {
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

/** `{}` is the name of a file that it found, which begins like the folder that it looks in, or with `./`. */
function withFound(word: Word): Word {
  const at = word.text.indexOf('{}');
  if (at < 0) return word;
  return { text: word.text.slice(0, at), dynamic: true, splits: false, odd: false };
}
