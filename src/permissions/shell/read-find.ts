import { findReach } from './programs/find-reach.js';
import { part, shadowsOf, withDoubt, within } from './command.js';
import type { Command, ReadInner } from './command.js';
import type { ScriptPart, Word } from './script.js';

const EXECUTES = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const EXECUTES_THERE = new Set(['-execdir', '-okdir']);
const ELSEWHERE = 'it runs commands in folders that are known only when it runs';
const FOUND = '{}';

/** `find` itself, and each command that it executes. */
export function readFind(
  command: Command,
  readInner: ReadInner,
  readCommand: (command: Command, readInner: ReadInner) => ScriptPart[],
): ScriptPart[] {
  const { words } = command;
  const own: Word[] = [];
  const parts: ScriptPart[] = [];
  for (let at = 0; at < words.length; at++) {
    if (words[at]!.dynamic || !EXECUTES.has(words[at]!.text)) {
      own.push(words[at]!);
      continue;
    }
    const end = words.findIndex((_, index) => index > at && isEnd(words, index));
    const run = words.slice(at + 1, end);
    if (end < 0 || run.some(endsElsewhere)) return unclear(command, readInner);
    const several = words[end]!.text === '+';
    const inner = run.map((word) => withFound(word, several));
    const read = readCommand(within(command, { words: inner, inputs: [] }), readInner);
    parts.push(...withDoubt(read, EXECUTES_THERE.has(words[at]!.text) ? ELSEWHERE : undefined));
    at = end;
  }
  if (own.some(mayExecute)) return [...unclear(command, readInner), ...parts];
  return [part({ ...command, words: own }, findReach(own)), ...parts];
}

function unclear(command: Command, readInner: ReadInner): ScriptPart[] {
  return [part(command, { whole: true, opaque: true }), ...shadowsOf(command, readInner)];
}

/** A `+` ends a command only after `{}`; anywhere else it is an argument. */
function isEnd(words: readonly Word[], at: number): boolean {
  const { text, dynamic } = words[at]!;
  if (dynamic) return false;
  const before = words[at - 1]!;
  return text === ';' || (text === '+' && before.text === FOUND && !before.dynamic);
}

/** True for a word that some programs may take for the end of a command, and others not. */
function endsElsewhere({ text, dynamic }: Word): boolean {
  return !dynamic && (text === '+' || EXECUTES.has(text));
}

/** True if the word can become `-exec` or another action. */
function mayExecute({ text, dynamic, pattern }: Word): boolean {
  return dynamic && (text.startsWith('-') || (text === '' && pattern === undefined));
}

/**
 * Replaces `{}`: the name of a found file, which begins with the folder that is searched, or with
 * `./`. Before a `+`, it becomes the names of several files.
 */
function withFound(word: Word, several: boolean): Word {
  const at = word.text.indexOf(FOUND);
  if (at < 0) return word;
  return { text: word.text.slice(0, at), dynamic: true, splits: several };
}
