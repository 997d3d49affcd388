import type { ScriptPart, Word } from '../../../src/permissions/shell/script.js';
import type { Observed } from './shell-lab.js';

/** The judge under test. */
export interface ShellJudge {
  allows(script: string): boolean;
  /** The parts that were judged. */
  partsOf(script: string): readonly ScriptPart[];
  /** Whether an allowed script may do only what its parts name, as rules that allow demand. */
  readonly namesAll: boolean;
  /** Files that no allowed script may read or write. */
  readonly secrets: readonly string[];
}

/** Something that an allowed script did and should not have done. */
export interface Violation {
  /** `ran`: a program that no part names; `words`: a program that one names, with other words. */
  readonly kind: 'ran' | 'words' | 'not allowed' | 'read' | 'changed';
  readonly what: string;
}

/** Programs that run others, of which only the name has to be there. */
const WRAPPERS = new Set(
  'sh dash bash env xargs find timeout nice nohup stdbuf ionice setsid'.split(' '),
);
/** Traced by Bash though they are no commands, or of no effect by themselves. */
const NO_COMMANDS = /^(?:for|case|select|\[\[|\(\(|\[|:|true|false|\w+(?:\[.*\])?\+?=.*)$/s;

export function findViolations(script: string, observed: Observed, judge: ShellJudge): Violation[] {
  const parts = judge.partsOf(script);
  const traced = observed.traced.filter(([name]) => !NO_COMMANDS.test(name!));
  const commands = [...observed.programs, ...traced];
  const missing = observed.missing.filter((name) => !hasName(parts, name));
  const unnamed = commands
    .filter((words) => !isNamed(parts, words))
    .map((words): Violation => ({
      kind: hasName(parts, words[0]!) ? 'words' : 'ran',
      what: quoteAll(words),
    }));
  return unique([
    ...(judge.namesAll ? [...unnamed, ...missing.map(ran)] : []),
    ...commands
      .map(quoteAll)
      .filter((text) => !isAllowed(showUnseen(text), judge))
      .map(notAllowed),
    ...findFiles(parts, observed, judge),
    ...(guardsGit(judge) ? observed.programs.filter(writesGitFolder) : [])
      .map(quoteAll)
      .map(changed),
  ]);
}

/** A judge that took too long, on a busy machine, is asked again. */
function isAllowed(text: string, judge: ShellJudge): boolean {
  return judge.allows(text) || judge.allows(text) || judge.allows(text);
}

function unique(violations: readonly Violation[]): Violation[] {
  return [...new Map(violations.map((each) => [`${each.kind} ${each.what}`, each])).values()];
}

const changed = (what: string): Violation => ({ kind: 'changed', what });
const ran = (what: string): Violation => ({ kind: 'ran', what });
const notAllowed = (what: string): Violation => ({ kind: 'not allowed', what });

/** These programs are not real here: they change nothing. */
const WRITERS = new Set('cp mv ln mkdir touch rm rmdir chmod tee'.split(' '));

/** A judge that knows no programs guards nothing from their arguments. */
function guardsGit({ namesAll, secrets }: ShellJudge): boolean {
  return namesAll && secrets.some((path) => path.startsWith('.git/'));
}

/** Git runs programs that the files in its folder name. */
function writesGitFolder([name, ...words]: readonly string[]): boolean {
  return WRITERS.has(name!) && words.some((word) => /(?:^|[/=]|^-t)\.git(?:\/|$)/i.test(word));
}

/** Judges refuse whatever holds characters that nobody sees. As arguments these are like others. */
function showUnseen(text: string): string {
  return text.replaceAll(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, (c) =>
    /[ \n\t]/.test(c) ? c : 'x',
  );
}

function findFiles(
  parts: readonly ScriptPart[],
  observed: Observed,
  { secrets, namesAll }: ShellJudge,
): Violation[] {
  const isNamed = (path: string, access: 'read' | 'write') =>
    namesAll && mayTouch(parts, path, access);
  const wrong = (path: string, access: 'read' | 'write') =>
    secrets.includes(path)
      ? access === 'write' || !isNamed(path, access)
      : namesAll && !isNamed(path, access);
  return [
    ...observed.read
      .filter((path) => wrong(path, 'read'))
      .map((what) => ({ kind: 'read' as const, what })),
    ...observed.changed.filter((path) => wrong(path, 'write')).map(changed),
  ];
}

/** A command names what it reads. Only a redirection names what is written. */
function mayTouch(parts: readonly ScriptPart[], path: string, access: 'read' | 'write'): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const could = ({ text, dynamic, pattern = text }: Word) =>
    pattern.includes(name) || (dynamic && name.startsWith(beginOf(baseName(pattern))));
  return parts.some((part) => {
    if (part.kind === 'file')
      return could(part.path) && (access === 'read' || part.access === 'write');
    return access === 'read' && part.kind === 'command' && part.words.slice(1).some(could);
  });
}

/** Of a file's name with wildcards. */
function beginOf(pattern: string): string {
  return pattern.replace(/[*?[].*$/s, '');
}

function isNamed(parts: readonly ScriptPart[], words: readonly string[]): boolean {
  if (WRAPPERS.has(baseName(words[0]!))) return hasName(parts, words[0]!);
  return parts.some((part) => part.kind === 'command' && fits(part.words, words));
}

function hasName(parts: readonly ScriptPart[], name: string): boolean {
  return parts.some(
    (part) =>
      part.kind === 'command' &&
      part.words[0]?.text !== undefined &&
      baseName(part.words[0].text) === baseName(name),
  );
}

/** True if the words may be what the judged ones expand to. */
function fits(judged: readonly Word[], [name, ...words]: readonly string[]): boolean {
  const [judgedName, ...rest] = judged;
  if (!judgedName || judgedName.dynamic || baseName(judgedName.text) !== baseName(name!))
    return false;
  return fitsFrom(rest, words);
}

function fitsFrom(judged: readonly Word[], words: readonly string[]): boolean {
  const [first, ...rest] = judged;
  if (!first) return words.length === 0;
  if (!first.dynamic) return words[0] === first.text && fitsFrom(rest, words.slice(1));
  const counts = first.splits ? words.map((_, at) => at + 1) : [1];
  if (first.splits && fitsFrom(rest, words)) return true;
  if (!words[0]?.startsWith(first.text)) return false;
  return counts.some((count) => fitsFrom(rest, words.slice(count)));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A script that runs exactly these words. */
export function quoteAll(words: readonly string[]): string {
  return words
    .map((word, at) => (isSafe(word, at) ? word : `'${word.replaceAll("'", `'"'"'`)}'`))
    .join(' ');
}

/** As the first word, `=` may make an assignment; the grammar knows no names with `%` or `@`. */
function isSafe(word: string, at: number): boolean {
  return (at === 0 ? /^[\w+:,./-]+$/ : /^[\w@%+=:,./-]+$/).test(word);
}
