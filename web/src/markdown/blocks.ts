import { Lexer } from 'marked';
import type { Token } from 'marked';

/** Maximum length of a text, in UTF-16 code units; the rest is shown as it is. */
const MOST_MARKDOWN = 100_000;
/** Maximum length of a paragraph: unclosed emphasis takes the lexer time by the square of this. */
const MOST_INLINE = 4_000;
/** More lists and quotes at the beginning of one line hold the page for seconds. */
// regex: each step has one way to match
const TOO_DEEP = /^(?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]|[ \t]*>){100}/m;
/** A paragraph can still become a heading or a list, and a list can take in what follows. */
const OPEN_BLOCKS = 2;

export interface Blocks {
  readonly tokens: readonly Token[];
  /** The end of a text that is too long to be read as markdown. */
  readonly rest: string;
}

/**
 * Reads a text that grows: blocks that are complete are not read again, so that the time for a
 * delta depends on the last blocks only.
 */
export class BlockReader {
  private done: readonly Token[] = [];
  private read = '';
  private last: Blocks | undefined;
  private lastText: string | undefined;

  blocks(text: string, isOpen: boolean): Blocks {
    if (text === this.lastText && this.last) return this.last;
    const markdown = text.slice(0, MOST_MARKDOWN);
    if (!isOpen || !markdown.startsWith(this.read)) [this.done, this.read] = [[], ''];
    const tokens = lex(markdown.slice(this.read.length));
    this.last = { tokens: [...this.done, ...tokens], rest: text.slice(MOST_MARKDOWN) };
    this.lastText = text;
    if (isOpen) this.keep(tokens);
    return this.last;
  }

  private keep(tokens: readonly Token[]): void {
    const complete = tokens.slice(0, -OPEN_BLOCKS);
    if (complete.length === 0) return;
    this.done = [...this.done, ...complete];
    this.read += complete.map(({ raw }) => raw).join('');
  }
}

/** Text that can't be read as markdown, nested too deep say, is one paragraph. */
function lex(text: string): readonly Token[] {
  if (TOO_DEEP.test(text)) return [{ type: 'text', raw: text, text }];
  try {
    return new BoundedLexer({ gfm: true, breaks: false }).lex(text);
  } catch {
    return [{ type: 'text', raw: text, text }];
  }
}

/** Leaves very long paragraphs as they were written. */
class BoundedLexer extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (source.length <= MOST_INLINE) return super.inlineTokens(source, tokens);
    tokens.push({ type: 'text', raw: source, text: source, escaped: false });
    return tokens;
  }
}
