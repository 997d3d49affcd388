import { cut, speakable } from './speakable.js';
import { isSpace, SpokenMarkdown } from './spoken-markdown.js';

/** Code points of a sentence; a longer one is cut. */
export const MAX_SENTENCE = 400;
/** Code units of Markdown without an end of a sentence that are kept. */
const MAX_PENDING = 2 * MAX_SENTENCE;
/** Characters of ASCII without a space, such as those of keys, that are spoken. */
const MAX_WORD = 200;
/** Code units before an end of a sentence by which it is judged. */
const WINDOW = 64;
/** Marks and quotes between two sentences. */
const MAX_OPENERS = 8;

const TERMINATOR = /^\p{Sentence_Terminal}$/u;
const CLOSER = /^["'*_`~)\]}»”’」』）】〉》]$/;
const LETTER = /^[\p{L}\p{N}]$/u;
const INITIALS = /^(?:\p{L}(?:\.\p{L})*|\d{1,2})$/u;
const ABBREVIATIONS = new Set(
  (
    'abs al approx apt art av ave bd bzw ca cf cm co corp dept dr dra etc evtl fig fr ggf hr inc ' +
    'inkl jr ltd max mc min mlle mme mr mrs ms mt no nos nr núm op pp prof ref resp rev sec sen ' +
    'sr sra st str tel usw vgl vol vs zzgl'
  ).split(' '),
);
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * Splits Markdown that is still being written into plain sentences to speak, of at most
 * MAX_SENTENCE code points. Code blocks are left out; items and headings are sentences. The
 * sentences are the same for every way to cut the text, and the work is linear in it.
 */
export class SentenceSplitter {
  private readonly markdown = new SpokenMarkdown();
  private highSurrogate = '';
  private pending = '';
  private wordLength = 0;
  /** Where a sentence may end in `pending`, once the next letter tells. */
  private stop: number | undefined;
  private sentences: string[] = [];

  /** The sentences that `text` completes. */
  add(text: string): readonly string[] {
    let whole = this.highSurrogate + text;
    this.highSurrogate = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? '';
    if (this.highSurrogate) whole = whole.slice(0, -1);
    for (const char of whole) this.readAll(this.markdown.add(char));
    return this.take();
  }

  /** The rest, after the last `add`. */
  end(): readonly string[] {
    this.readAll(this.markdown.end());
    this.flush();
    return this.take();
  }

  private take(): readonly string[] {
    const { sentences } = this;
    this.sentences = [];
    return sentences;
  }

  private readAll(text: string): void {
    for (const char of text)
      if (char === '\n') this.flush();
      else if (isSpace(char)) this.readSpace();
      else this.read(char);
  }

  private readSpace(): void {
    this.wordLength = 0;
    if (this.pending !== '' && !this.pending.endsWith(' ')) this.pending += ' ';
  }

  private read(char: string): void {
    if (char > '\u007f') this.wordLength = 0;
    else if (++this.wordLength > MAX_WORD) return;
    if (this.stop !== undefined && LETTER.test(char)) this.decide(this.stop, char);
    this.pending += char;
    const { length } = this.pending;
    if (TERMINATOR.test(char)) this.stop = length;
    else if (this.stop === length - char.length && CLOSER.test(char)) this.stop = length;
    else if (this.stop !== undefined && length - this.stop > MAX_OPENERS) this.stop = undefined;
    if (length > MAX_PENDING) this.shorten();
  }

  private decide(end: number, next: string): void {
    this.stop = undefined;
    const sentence = this.pending.slice(0, end);
    if (!endsBefore(sentence, this.pending.startsWith(' ', end), next)) return;
    this.speak(sentence);
    this.pending = this.pending.slice(end).trimStart();
  }

  private shorten(): void {
    const parts = [...cut(speakable(this.pending), MAX_SENTENCE)];
    this.pending = parts.pop() ?? '';
    this.sentences.push(...parts);
    this.stop = undefined;
  }

  private flush(): void {
    this.speak(this.pending);
    this.pending = '';
    this.wordLength = 0;
    this.stop = undefined;
  }

  private speak(markdown: string): void {
    this.sentences.push(...cut(speakable(markdown), MAX_SENTENCE));
  }
}

/** If `text`, which has a terminator at its end, is a whole sentence before a letter or number. */
function endsBefore(text: string, hasSpace: boolean, next: string): boolean {
  const before = text.slice(-WINDOW).replace(/[*_`~]/g, '');
  const isAscii = /[.!?]["')\]}»”’]*$/.test(before);
  if (isAscii && !hasSpace) return false;
  const word = before.slice(before.lastIndexOf(' ') + 1).replace(/^[^\p{L}\p{N}]+/u, '');
  if (word.endsWith('.') && isAbbreviation(word.slice(0, -1))) return false;
  const start = before + (hasSpace ? ' ' : '');
  return segmenter.segment(start + next).containing(start.length)?.index === start.length;
}

function isAbbreviation(word: string): boolean {
  return INITIALS.test(word) || ABBREVIATIONS.has(word.toLowerCase());
}
