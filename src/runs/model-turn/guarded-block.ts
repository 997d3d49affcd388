import type { GuardedText } from '../../guardrails/guarded-output.js';
import type { BlockWriter } from '../../event-log/append/block-writer.js';

/** One block of a turn behind its guardrails: what readers see, the log keeps and the model reads again is what these let through. */
export class GuardedBlock {
  private written = '';
  /** What nobody sees before the record. */
  private filled = '';

  constructor(
    private readonly writer: BlockWriter,
    private readonly guard: GuardedText,
  ) {}

  get id(): string {
    return this.writer.id;
  }

  get text(): string {
    return this.writer.text + this.filled;
  }

  /** Whether the model has written anything. */
  get isBegun(): boolean {
    return this.written !== '';
  }

  /** Whether readers have seen any of it. */
  get isShown(): boolean {
    return this.writer.text !== '';
  }

  /** Whether it says something else than the model has written; told once it is over. */
  get isChanged(): boolean {
    return this.text !== this.written;
  }

  /** @throws Tripwire */
  push(text: string): void {
    this.written += text;
    this.show(this.guard.push(text));
  }

  /** All of it, at once. */
  fill(text: string): void {
    this.written = text;
    this.filled = this.guard.push(text);
  }

  /** It is over: shows what was held back. */
  end(): void {
    const rest = this.guard.end();
    if (this.filled !== '') this.filled += rest;
    else this.show(rest);
  }

  private show(text: string): void {
    if (text !== '') this.writer.push(text);
  }
}
