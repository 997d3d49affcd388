type State = 'head' | 'text' | 'info' | 'code';

const MARKER = /^(?:#{1,6}|[-*+•]|\d{1,9}[.)])$/;
const RULE = /^(?:[-*_=]{3,}|[|:-]+)$/;
const FENCE = /^(?:```|~~~)$/;
const CHECKED = /^\[x\]$/i;
/** Characters of a first word after which it is none of the above. */
const MAX_HEAD = 12;
/** Characters of a line of code that are kept to find the closing fence. */
const MAX_CODE_LINE = 80;

/**
 * Reads Markdown character by character, and keeps what is to be spoken: no markers, no code
 * blocks, no targets of links. Line feeds in what it returns separate paragraphs, items, headings.
 */
export class SpokenMarkdown {
  private state: State = 'head';
  /** The first word of a line, while it may be a marker. */
  private head = '';
  private fence: { readonly mark: string; length: number } = { mark: '`', length: 3 };
  private line = '';
  private endsBlock = false;
  private inRow = false;
  private inCode = false;
  private last = '';
  private target: { readonly open: string; readonly close: string; depth: number } | undefined;

  add(char: string): string {
    switch (this.state) {
      case 'head':
        return this.readHead(char);
      case 'text':
        return this.readText(char);
      case 'info':
        return this.readInfo(char);
      case 'code':
        return this.readCode(char);
    }
  }

  end(): string {
    const isText = this.state === 'head' && !MARKER.test(this.head) && !RULE.test(this.head);
    return isText ? this.textOf(this.head) : '';
  }

  private readHead(char: string): string {
    const { head } = this;
    if (char === '\n') {
      this.head = '';
      if (head === '' || MARKER.test(head) || RULE.test(head)) return '\n';
      return this.startText(head) + this.endLine();
    }
    if (isSpace(char)) {
      if (head === '') return '';
      if (CHECKED.test(head)) return ((this.head = ''), '');
      if (!MARKER.test(head)) return this.startText(head + ' ');
      this.endsBlock = head.startsWith('#');
      this.head = '';
      return '\n';
    }
    this.head += char;
    if (this.head === '>') this.head = '';
    else if (FENCE.test(this.head)) {
      this.fence = { mark: char, length: 3 };
      this.head = this.line = '';
      this.state = 'info';
    } else if (this.head.length > MAX_HEAD) return this.startText(this.head);
    return '';
  }

  private startText(text: string): string {
    this.state = 'text';
    this.head = '';
    this.inRow = text.startsWith('|');
    const spoken = this.textOf(this.inRow ? text.slice(1) : text);
    return this.inRow ? `\n${spoken}` : spoken;
  }

  private textOf(text: string): string {
    let spoken = '';
    for (const char of text) spoken += this.readText(char);
    return spoken;
  }

  private readText(char: string): string {
    if (char === '\n') return this.endLine();
    if (this.target) {
      if (char === this.target.open) this.target.depth++;
      else if (char === this.target.close && --this.target.depth === 0) this.target = undefined;
      return '';
    }
    const { last } = this;
    this.last = char;
    if (char === '`' && last !== '`') this.inCode = !this.inCode;
    if (this.inCode) return char;
    if (last === ']' && (char === '(' || char === '[')) {
      this.target = { open: char, close: char === '(' ? ')' : ']', depth: 1 };
      this.last = '';
      return '';
    }
    return char === '|' && this.inRow ? ', ' : char;
  }

  private endLine(): string {
    const ends = this.endsBlock || this.inRow;
    this.state = 'head';
    this.endsBlock = this.inRow = this.inCode = false;
    this.target = undefined;
    this.last = '';
    return ends ? '\n' : ' ';
  }

  private readInfo(char: string): string {
    if (char === '\n') {
      this.state = 'code';
      this.line = '';
      return '\n';
    }
    if (this.line === '' && char === this.fence.mark) this.fence.length++;
    else if (char === '`' && this.fence.mark === '`') return this.startText(`\`${this.line}\``);
    else if (this.line.length < MAX_CODE_LINE) this.line += char;
    return '';
  }

  private readCode(char: string): string {
    if (char !== '\n') {
      if (this.line.length < MAX_CODE_LINE) this.line += char;
      return '';
    }
    const line = this.line.trim();
    this.line = '';
    const { mark, length } = this.fence;
    const closes = line.length >= length && line === mark.repeat(line.length);
    if (closes) this.state = 'head';
    return '';
  }
}

export function isSpace(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\r' || char === '\n' || char === '\u00a0';
}
