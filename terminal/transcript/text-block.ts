import { MarkdownStream } from '../render/markdown-stream.js';
import { StreamSanitizer } from '../render/sanitize.js';
import { span, styled } from '../render/span.js';
import type { Line } from '../render/span.js';
import { GLYPHS, SGR } from '../render/theme.js';
import type { View } from '../render/theme.js';

export type Tone = 'text' | 'thinking';

/** Work of one paint: a longer text is drawn over several. */
const MOST_AT_ONCE = 8_000;

/** A text that is being written, as far as it has come. */
export class TextBlock {
  private readonly stream = new MarkdownStream();
  private readonly sanitizer = new StreamSanitizer();
  /** Parts that are not drawn yet. */
  private waiting: string[] = [];
  private hasEnded = false;
  private isCut = false;
  isDone = false;

  constructor(
    readonly tone: Tone,
    /** All that has come. */
    private read = '',
  ) {}

  /** The rest of it, when more comes than was taken for its end. */
  rest(): TextBlock {
    return new TextBlock(this.tone, this.read);
  }

  /** Its author writes another text: this one is taken to have ended. */
  settle(): void {
    this.hasEnded = true;
  }

  write(delta: string): void {
    this.read += delta;
    this.waiting.push(delta);
  }

  /** The whole text; it may be another one than what has come so far. */
  finish(content: string): void {
    if (content.startsWith(this.read)) this.write(content.slice(this.read.length));
    else this.write(`\n\n${content}`);
    this.hasEnded = true;
  }

  /** It will never be completed. */
  void(): void {
    this.hasEnded = true;
    this.isCut = true;
  }

  get isSettled(): boolean {
    return this.hasEnded;
  }

  /** True if a paint has left some of it. */
  get hasMore(): boolean {
    return this.waiting.length > 0;
  }

  take(view: View): Line[] {
    this.feed();
    const lines = this.stream.take(view);
    if (this.hasEnded && this.waiting.length === 0 && !this.isDone) {
      this.stream.write(this.sanitizer.end());
      lines.push(...this.stream.end(view));
      if (this.isCut) lines.push([span(`${GLYPHS.more} (cut off)`, SGR.dim)]);
      this.isDone = true;
    }
    return this.tone === 'thinking' ? lines.map((line) => styled(line, SGR.dim)) : lines;
  }

  /** The end of it that may still change. */
  get tail(): Line {
    const last = this.stream.tail.at(-1) ?? [];
    return this.tone === 'thinking' ? styled(last, SGR.dim) : last;
  }

  private feed(): void {
    let left = MOST_AT_ONCE;
    while (left > 0 && this.waiting.length > 0) {
      const [next = ''] = this.waiting;
      if (next.length <= left) this.waiting.shift();
      else this.waiting[0] = next.slice(left);
      this.stream.write(this.sanitizer.take(next.slice(0, left)));
      left -= next.length;
    }
  }
}
