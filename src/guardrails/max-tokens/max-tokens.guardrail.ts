import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Guardrail } from '../guardrail.js';
import type { InputVerdict, OpenFilter } from '../guardrail.js';
import { GuardrailProvider } from '../guardrail-provider.decorator.js';

/**
 * Trips if a text of a person, or a model turn with its thoughts and calls, is longer than the
 * limit.
 */
@Injectable()
@GuardrailProvider()
export class MaxTokensGuardrail extends Guardrail {
  readonly name = 'max_tokens';
  override readonly enabled: boolean;
  private readonly input: number;
  private readonly output: number;

  constructor({ guardrailMaxInputTokens, guardrailMaxOutputTokens }: Config) {
    super();
    this.input = guardrailMaxInputTokens || Infinity;
    this.output = guardrailMaxOutputTokens || Infinity;
    this.enabled = Math.min(this.input, this.output) < Infinity;
  }

  override checkInput(text: string): InputVerdict {
    const tokens = Math.ceil(estimateTokens(text));
    if (tokens <= this.input) return { verdict: 'pass' };
    const reason = `The text has about ${tokens} tokens, more than the ${this.input} that are allowed. Send a shorter one.`;
    return { verdict: 'tripwire', reason };
  }

  override openOutput(): OpenFilter {
    let tokens = 0;
    const push = (text: string): string => {
      tokens += estimateTokens(text);
      if (tokens <= this.output) return text;
      throw new Error(
        `The model wrote more than the ${this.output} tokens that one turn may have. Ask for something shorter.`,
      );
    };
    return (part) =>
      part === 'tool_output' || this.output === Infinity ? undefined : { push, end: () => '' };
  }
}

/** Estimated ASCII characters per token; each other character counts as one token. */
const ASCII_PER_TOKEN = 4;

/**
 * Estimates the tokens of a text, with fractions; the sum over the chunks of a text equals the
 * estimate of the whole.
 */
function estimateTokens(text: string): number {
  let ascii = 0;
  let others = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char < 0x80) ascii++;
    else if (char < 0xdc00 || char > 0xdfff) others++; // a surrogate pair counts once
  }
  return ascii / ASCII_PER_TOKEN + others;
}
