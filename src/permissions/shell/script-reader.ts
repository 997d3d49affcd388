import { checkTree } from './check-tree.js';
import { ScriptWalk } from './script-walk.js';
import type { Script, ScriptPart } from './script.js';
import type { ShellGrammar } from './shell-grammar.js';
import { Unreadable } from './script.js';

/** Maximum length of a script, in UTF-16 code units. */
const MAX_LENGTH = 20_000;
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
      return { parts: this.readParts(text, 0) };
    } catch (error) {
      if (error instanceof Unreadable) return { parts: [], fault: error.message };
      throw error;
    }
  }

  /** @throws Unreadable */
  private readParts(text: string, depth: number): ScriptPart[] {
    checkText(text, depth);
    const parts = this.parse(text, depth);
    const joined = joinLines(text);
    if (joined === text) return parts;
    const doubted = parts.map((part) => withDoubt(part, 'goes on in another line'));
    return [...doubted, ...this.tryShadows(joined, depth)];
  }

  private tryShadows(text: string, depth: number): ScriptPart[] {
    return this.parse(text, depth).map((part) =>
      part.kind === 'command' ? { ...part, shadow: true } : part,
    );
  }

  private parse(text: string, depth: number): ScriptPart[] {
    const root = this.grammar.parse(text);
    if (!root) throw new Unreadable('can’t be parsed');
    checkTree(root, text);
    const parts = new ScriptWalk(text, (inner) => this.readParts(inner, depth + 1)).read(root);
    if (parts.length > MAX_PARTS) throw new Unreadable(`runs more than ${MAX_PARTS} commands`);
    return parts;
  }
}

function checkText(text: string, depth: number): void {
  if (depth > MAX_DEPTH) throw new Unreadable('nests scripts too deeply');
  if (text.length > MAX_LENGTH)
    throw new Unreadable(`is longer than ${MAX_LENGTH.toLocaleString('en')} characters`);
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

function withDoubt(part: ScriptPart, doubt: string): ScriptPart {
  return part.kind === 'command' ? { ...part, doubt: part.doubt ?? doubt } : part;
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
