import type { Backlog } from '../../kernel/async/backlog.js';

/** Characters beyond which the log is not read on. */
const FULL = 64 * 1024;
/** Characters that are kept of an answer which is written faster than it is spoken. */
const MAX_LENGTH = 1024 * 1024;

/** Sentences between the log and the speaker, for one reader. */
export class SentenceQueue implements Backlog, AsyncIterable<string> {
  private readonly sentences: string[] = [];
  private length = 0;
  private end: { readonly error?: Error } | undefined;
  private readonly waiting = new Set<() => void>();

  get isFull(): boolean {
    return !this.end && this.length > FULL;
  }

  async drained(): Promise<void> {
    while (this.isFull) await this.change();
  }

  push(sentences: readonly string[]): void {
    if (this.end) return;
    for (const each of sentences) this.length += each.length;
    this.sentences.push(...sentences);
    if (this.length > MAX_LENGTH) this.fail(new Error('The answer is spoken too slowly.'));
    this.wake();
  }

  /** No more sentences follow. */
  close(): void {
    this.end ??= {};
    this.wake();
  }

  /** Ends the queue with an error. Sentences that were not spoken yet are dropped. */
  fail(error: Error): void {
    this.end ??= { error };
    this.sentences.length = 0;
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const next = this.sentences.shift();
      if (next !== undefined) {
        this.length -= next.length;
        this.wake();
        yield next;
      } else if (!this.end) await this.change();
      else if (this.end.error !== undefined) throw this.end.error;
      else return;
    }
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.waiting.add(resolve));
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}
