import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { findExcess } from '../../kernel/json/bounded-json.js';
import { parseExact } from '../../kernel/json/exact-json.js';
import { isObject } from '../../kernel/json/json.js';
import { GrowingText } from '../answer/growing-text.js';

/** A content block of a turn while it is received, by kind. */
export type TurnBlock = TextBlock | ThinkingBlock | CallBlock | OpaqueBlock;

export class TextBlock {
  readonly kind = 'text';
  readonly text = new GrowingText();

  /** The block in the form that is sent back to the vendor. */
  param(): ContentBlockParam {
    return { type: 'text', text: this.text.text };
  }
}

export class ThinkingBlock {
  readonly kind = 'thinking';
  readonly text = new GrowingText();
  signature = '';

  param(): ContentBlockParam {
    return { type: 'thinking', thinking: this.text.text, signature: this.signature };
  }
}

/** A call of a tool that this server runs. */
export class CallBlock {
  readonly kind = 'call';
  readonly json = new GrowingText();
  ended = false;

  constructor(
    /** Index among the turn's calls, from 0. */
    readonly index: number,
    readonly id: string,
    readonly name: string,
    /**
     * The input in the block's first event. An answer that is not streamed has the complete input
     * here.
     */
    readonly input: unknown,
  ) {}

  param(): ContentBlockParam {
    return { type: 'tool_use', id: this.id, name: this.name, input: inputOf(this.json.text) };
  }
}

/**
 * A block that is sent back unchanged, each number in the characters that it came in: redacted
 * thinking, and calls and results of the vendor's own tools.
 */
export class OpaqueBlock {
  readonly kind = 'opaque';
  json = '';

  constructor(private readonly start: Readonly<Record<string, unknown>>) {}

  param(): ContentBlockParam {
    const input = this.json === '' ? {} : { input: inputOf(this.json) };
    return { ...this.start, ...input } as unknown as ContentBlockParam;
  }
}

/**
 * The arguments of a call as an object, with exact numbers; empty if the text is none, or too
 * large.
 */
export function inputOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const value = findExcess(json) === undefined ? parseExact(json) : undefined;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
