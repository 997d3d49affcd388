import { checkTree } from './check-tree.js';
import { asShadows, withDoubt } from './command.js';
import { markAfterLinks } from './programs/links.js';
import { readPlainScript } from './plain-script.js';
import { ReadingBudget, TooLong } from './reading-budget.js';
import { ScriptWalk } from './script-walk.js';
import type { Script, ScriptPart, Word } from './script.js';
import type { ShellGrammar } from './shell-grammar.js';
import { Unreadable } from './script.js';

/** Maximum length of a script, in UTF-16 code units. */
const MAX_LENGTH = 10_000;
/** The time to parse pipelines grows with the square of their number. */
const MAX_PIPES = 300;
const MAX_PARTS = 200;
/** Maximum nesting of scripts: `bash -c "bash -c …"`. */
const MAX_DEPTH = 5;

/**
 * Parses a text as a shell would: the commands that it would run, and the files that it would open.
 */
export class ScriptReader {
  constructor(private readonly grammar: ShellGrammar) {}

  read(text: string): Script {
    try {
      return { parts: new Reading(this.grammar).read(text, 0) };
    } catch (error) {
      if (error instanceof Unreadable) return { parts: [], fault: error.message };
      throw error;
    }
  }
}

/** Reads one script, with all scripts in it. */
class Reading {
  private readonly budget = new ReadingBudget();

  constructor(private readonly grammar: ShellGrammar) {}

  /** @throws Unreadable */
  read(text: string, depth: number): ScriptPart[] {
    checkText(text, depth);
    const { parts, commands } = this.parse(text, depth);
    const doubt = findDoubt(text, commands);
    const judged = markAfterLinks(withDoubt(parts, doubt), text);
    const joined = joinLines(text);
    const others = new Set([joined, joinOutsideComments(text)]);
    others.delete(text);
    const shadows = [...others].flatMap((each) => asShadows(this.parse(each, depth).parts));
    return [...judged, ...shadows, ...this.readAsPosix(joined, depth)];
  }

  /** Reads the script as a shell does that lacks some of Bash's syntax, where that differs. */
  private readAsPosix(text: string, depth: number): ScriptPart[] {
    const posix = withoutBashSyntax(text);
    if (posix === text) return [];
    try {
      return asShadows(this.parse(posix, depth).parts);
    } catch (error) {
      if (!(error instanceof Unreadable) || error instanceof TooLong) throw error;
      const doubt = 'shells other than Bash read it otherwise';
      return [{ kind: 'other', source: text, opaque: true, doubt }];
    }
  }

  private parse(text: string, depth: number): ScriptWalk {
    const root = this.grammar.parse(text, this.budget);
    if (!root) throw new Unreadable('can’t be parsed');
    checkTree(root, text);
    const walk = new ScriptWalk(text, (inner) => this.read(inner, depth + 1));
    walk.read(root);
    if (walk.parts.length > MAX_PARTS) throw new Unreadable(`runs more than ${MAX_PARTS} commands`);
    return walk;
  }
}

/** A rule that allows commands needs a plain script, with the commands that the grammar finds. */
function findDoubt(script: string, commands: readonly (readonly Word[])[]): string | undefined {
  const plain = readPlainScript(script);
  if ('fault' in plain) return plain.fault;
  const found = commands.map((words) => words.map(({ text, dynamic }) => [text, dynamic]));
  const expected = plain.commands.map((words) => words.map(({ text, glob }) => [text, glob]));
  if (JSON.stringify(found) === JSON.stringify(expected)) return undefined;
  return 'the script is not plain: it can be read in two ways';
}

function checkText(text: string, depth: number): void {
  if (depth > MAX_DEPTH) throw new Unreadable('nests scripts too deeply');
  if (text.length > MAX_LENGTH)
    throw new Unreadable(`is longer than ${MAX_LENGTH.toLocaleString('en')} characters`);
  if (text.split('|', MAX_PIPES + 2).length > MAX_PIPES + 1)
    throw new Unreadable(`has more than ${MAX_PIPES} pipes`);
  const deceptive = findDeceptiveCharacter(text);
  if (deceptive) throw new Unreadable(`has a character that deceives the eye (${deceptive})`);
}

/**
 * Joins continued lines, as a shell does outside of quotes and comments: a backslash before a line
 * break removes both.
 */
function joinLines(text: string): string {
  return text.replace(/\\([\s\S])/g, (pair, next) => (next === '\n' ? '' : pair));
}

/** The same, if each `#` that may begin a comment does: a comment ends with its line. */
function joinOutsideComments(text: string): string {
  return text.replace(/(?<=^|[\s;&|()])#[^\n]*|\\([\s\S])/g, (found, next) =>
    next === '\n' ? '' : found,
  );
}

/**
 * Separates characters that only Bash takes together, so that it reads them as other shells do:
 * `$'…'` is a `$` and a text there, and `&>` an `&` and a `>`. In quotes, this changes the text.
 */
function withoutBashSyntax(text: string): string {
  return text.replace(/\\[\s\S]|\$\$|\$(?=')|&(?=>)/g, (found) => {
    if (found === '$') return '\\$';
    return found === '&' ? '& ' : found;
  });
}

/**
 * Characters that are invisible or misleading to people, and that a shell treats differently from
 * their appearance: control characters, invisible and bidirectional characters, white space that
 * doesn't separate words, and private-use or unassigned ones.
 */
const DECEPTIVE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
const ORDINARY = /^[\t\n\x20-\x7e]*$/;

/** The first deceptive character, as `U+202E`. */
function findDeceptiveCharacter(text: string): string | undefined {
  if (ORDINARY.test(text)) return undefined;
  for (const character of text)
    if (!ORDINARY.test(character) && DECEPTIVE.test(character)) return describe(character);
  return undefined;
}

function describe(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
