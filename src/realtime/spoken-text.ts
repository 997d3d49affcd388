import { SentenceSplitter } from '../audio/speech/sentence-splitter.js';

/** A sentence of an answer; `end` is where it ends in its block, in UTF-16 code units. */
export interface SpokenSentence {
  readonly block_id: string;
  readonly text: string;
  readonly end: number;
}

/** Characters before the next sentence: spaces, and marks that belong to it. */
const BETWEEN = /\s[^\p{L}\p{N}\s]{0,8}$/u;
const MAX_BETWEEN = 32;

/** The sentences of one block, and where they are in its text. */
export class SpokenText {
  private readonly splitter = new SentenceSplitter();
  private length = 0;
  private tail = '';

  constructor(private readonly block_id: string) {}

  /** Character by character: the splitter takes away marks, so only its progress tells where. */
  add(delta: string): SpokenSentence[] {
    const sentences: SpokenSentence[] = [];
    for (const char of delta) {
      const found = this.splitter.add(char);
      if (found.length > 0) sentences.push(...this.place(found));
      this.length += char.length;
      this.tail = (this.tail + char).slice(-MAX_BETWEEN);
    }
    return sentences;
  }

  end(): SpokenSentence[] {
    return this.place(this.splitter.end());
  }

  /** They end before what was added last. */
  private place(texts: readonly string[]): SpokenSentence[] {
    const before = this.tail.replace(BETWEEN, '').trimEnd();
    const end = this.length - (this.tail.length - before.length);
    return texts.map((text) => ({ block_id: this.block_id, text, end }));
  }
}
