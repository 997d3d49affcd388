import type { Message } from '../../protocol/message.js';
import type { ContextCut } from './context-marks.js';
import { messageTokens, sum } from './estimate-tokens.js';
import { asReference, contextHead } from './render-context.js';

interface TokenTableOptions {
  readonly messages: readonly Message[];
  readonly task: number;
  readonly window?: number;
  readonly unread?: number | undefined;
  /** Tokens of everything except messages, not scaled. */
  readonly fixed: number;
  /** Correction factor of estimates. */
  readonly scale: number;
}

/** Token counts of a conversation for any cut. */
export class TokenTable {
  /** Sums from each message on, unchanged and with references. */
  private readonly whole: readonly number[];
  private readonly referred: readonly number[];

  constructor(private readonly options: TokenTableOptions) {
    const { messages } = options;
    this.whole = fromEach(messages.map(messageTokens));
    this.referred = fromEach(messages.map((message) => messageTokens(asReference(message))));
  }

  /** Tokens of the whole request, including the full summary. */
  total(cut: ContextCut): number {
    return this.scaled(this.options.fixed + this.head(cut) + this.newest(cut));
  }

  /** Tokens of everything except the newest messages and the summary. */
  around(from: number): number {
    const cut = { from, summary: null, references_before: 0 };
    return this.scaled(this.options.fixed + this.head(cut));
  }

  /** Tokens of the messages from this one on, unchanged. */
  since(from: number): number {
    return this.scaled(this.whole[from]!);
  }

  private head(cut: ContextCut): number {
    if (cut.from === 0) return 0;
    return sum(contextHead({ ...this.options, cut }).map(messageTokens));
  }

  private newest({ from, references_before }: ContextCut): number {
    const border = Math.max(from, references_before);
    return this.referred[from]! - this.referred[border]! + this.whole[border]!;
  }

  private scaled(tokens: number): number {
    return Math.ceil(tokens * this.options.scale);
  }
}

/** Suffix sums: from each number on; one more than there are numbers. */
function fromEach(numbers: readonly number[]): number[] {
  const sums = [...numbers, 0];
  for (let at = numbers.length - 1; at >= 0; at--) sums[at] = numbers[at]! + sums[at + 1]!;
  return sums;
}
