import { cutText } from '../../kernel/text/cut-text.js';

/** A word of a plain script. */
export interface PlainWord {
  /** The whole word; with wildcards, the text before the first one. */
  readonly text: string;
  /** True if it has wildcards. */
  readonly glob: boolean;
}

/** The commands of a plain script, or the reason why the script is not plain: a sentence. */
export type PlainScript =
  { readonly commands: readonly (readonly PlainWord[])[] } | { readonly fault: string };

/** The message is the reason, without its subject. */
class NotPlain extends Error {
  override readonly name = 'NotPlain';
}

/**
 * Reads a script that means the same to every shell: lists and pipelines of simple commands with
 * literal words. Each token is one of those below; anything else is refused.
 */
export function readPlainScript(source: string): PlainScript {
  try {
    return { commands: new PlainReader(source).read() };
  } catch (error) {
    if (error instanceof NotPlain) return { fault: `the script is not plain: ${error.message}` };
    throw error;
  }
}

const BLANKS = /[ \t]+/y;
const COMMENT = /#[^\n]*/y;
const SEPARATOR = /\n|;|&&|\|\|?/y;
const WORD_END = /(?=[ \t\n;|&])|$/y;
/** To or from nowhere, and between the standard descriptors. */
const REDIRECTION =
  /[0-2]?(?:>>?[ \t]*\/dev\/null|<[ \t]*\/dev\/null|[<>]&[0-2-])(?=[ \t\n;|&]|$)/y;

const QUOTED = /'[^']*'|"[^"$`\\]*"/y;
/** A text in quotes up to its end, or to what is not plain in it. */
const QUOTE_BEGUN = /'[^']*|"[^"$`\\]*/y;
/** Also the braces of `{}`, `HEAD@{1}` and `v1^{}`, and the tilde of `HEAD~2`. */
const BARE = /(?:[A-Za-z0-9_%+,\-./:=@^!#]|\{\}|(?<=[@^])\{[\w-]+\}|(?<=[\w^~@])~)+/y;
const WILDCARDS = /[*?[\]]+/y;

const NAME = /^[A-Za-z0-9_./][A-Za-z0-9_./+-]*$/;
const ASSIGNMENT = /^\w+(?:\[.*\])?\+?=/s;
const KEYWORDS: ReadonlySet<string> = new Set(
  'if then elif else fi for select case esac while until do done in function time coproc'.split(
    ' ',
  ),
);
/** The beginning of a word with wildcards: it can expand neither to an option nor to a command. */
const BEFORE_WILDCARD = /^(?:[^-]|--[\w-]+=)/;

class PlainReader {
  private at = 0;

  constructor(private readonly source: string) {}

  /** @throws NotPlain */
  read(): PlainWord[][] {
    const commands: PlainWord[][] = [];
    let before = '\n';
    for (let next: string | undefined = before; next !== undefined;) {
      const words = this.readCommand();
      next = this.take(SEPARATOR);
      if (words.length > 0) {
        commands.push(words);
        before = next ?? '\n';
      } else if (next !== '\n' && (next !== undefined || (before !== '\n' && before !== ';')))
        throw new NotPlain('a command is missing in it');
    }
    if (commands.length === 0) throw new NotPlain('it has no command');
    return commands;
  }

  private readCommand(): PlainWord[] {
    const words: PlainWord[] = [];
    let redirects = false;
    while (!this.isAtEnd()) {
      if (this.take(REDIRECTION) !== undefined) redirects = true;
      else words.push(this.readWord(words.length === 0));
    }
    if (redirects && words.length === 0) throw new NotPlain('it has a redirection of nothing');
    return words;
  }

  /** Skips blanks and comments. */
  private isAtEnd(): boolean {
    this.take(BLANKS);
    this.take(COMMENT);
    return this.at >= this.source.length || this.isAt(SEPARATOR);
  }

  private readWord(isName: boolean): PlainWord {
    const start = this.at;
    let text = '';
    let glob = false;
    let pieces = 0;
    for (let piece = this.readPiece(); piece; piece = this.readPiece()) {
      pieces++;
      glob ||= piece.glob;
      if (!glob) text += piece.text;
    }
    if (this.at === start || !this.isAt(WORD_END)) throw this.fault();
    const written = this.source.slice(start, this.at);
    if (isName) checkName(pieces === 1 && !glob ? text : written);
    if (glob && !BEFORE_WILDCARD.test(text))
      throw new NotPlain(`it has wildcards that can become an option (${show(written)})`);
    return { text, glob };
  }

  private readPiece(): PlainWord | undefined {
    const quoted = this.take(QUOTED);
    if (quoted !== undefined) return { text: quoted.slice(1, -1), glob: false };
    const text = this.take(BARE) ?? this.take(WILDCARDS);
    return text === undefined ? undefined : { text, glob: /[*?[\]]/.test(text) };
  }

  private fault(): NotPlain {
    this.take(QUOTE_BEGUN);
    return new NotPlain(`it has ${describe(this.source.slice(this.at))}`);
  }

  private take(token: RegExp): string | undefined {
    token.lastIndex = this.at;
    const [text] = token.exec(this.source) ?? [];
    this.at += text?.length ?? 0;
    return text;
  }

  private isAt(token: RegExp): boolean {
    token.lastIndex = this.at;
    return token.test(this.source);
  }
}

function checkName(name: string): void {
  if (KEYWORDS.has(name)) throw new NotPlain(`it has a keyword of shells (${name})`);
  if (ASSIGNMENT.test(name)) throw new NotPlain(`it sets a variable (${show(name)})`);
  if (!NAME.test(name)) throw new NotPlain(`it has a command with an unusual name (${show(name)})`);
}

/** Describes what is at the start of a text. */
function describe(text: string): string {
  const [, what] = DESCRIPTIONS.find(([begin]) => begin.test(text)) ?? [];
  return `${what ?? 'an unusual character outside of quotes'} (${show(wordOf(text))})`;
}

/** The first word of a text; of a command in a command all up to the parenthesis that ends one. */
function wordOf(text: string): string {
  const end = text.startsWith('$(') ? text.indexOf(')') + 1 : 0;
  return end > 0 ? text.slice(0, end) : text.split(/[\s;]/, 1)[0]!;
}

const DESCRIPTIONS: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'a quote without an end'],
  [/^(?:\$\(|`)/, 'a command in a command'],
  [/^\$/, 'a variable'],
  [/^\\/, 'a backslash outside of single quotes'],
  [/^&/, 'a command in the background'],
  [/^<</, 'a here-document'],
  [/^\d*[<>]/, 'a redirection to or from a file'],
  [/^[()]/, 'parentheses outside of quotes'],
  [/^[{}]/, 'braces outside of quotes'],
  [/^~/, 'a tilde that can become a folder'],
];

function show(text: string): string {
  return text.length > 20 ? `${cutText(text, 20)}…` : text;
}
