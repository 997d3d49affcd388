import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { isObject } from '../wire/is-object.js';
import { GrowingText } from '../wire/growing-text.js';

/** One content block of a turn while it comes in, by what we make of it. */
export type TurnBlock = TextBlock | ThinkingBlock | CallBlock | OpaqueBlock;

export class TextBlock {
  readonly kind = 'text';
  readonly text = new GrowingText();

  /** As it goes back to the vendor. */
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

/** A tool call of ours to run. */
export class CallBlock {
  readonly kind = 'call';
  readonly json = new GrowingText();
  ended = false;

  constructor(
    /** Its place among the turn's calls, from 0. */
    readonly index: number,
    readonly id: string,
    readonly name: string,
    /** What it began with: an answer that is not streamed has the whole input here. */
    readonly input: unknown,
  ) {}

  param(): ContentBlockParam {
    return { type: 'tool_use', id: this.id, name: this.name, input: objectOf(this.json.text) };
  }
}

/** One that we pass back as it came: redacted thoughts, what the vendor's own tools do. */
export class OpaqueBlock {
  readonly kind = 'opaque';
  json = '';

  constructor(private readonly start: Readonly<Record<string, unknown>>) {}

  param(): ContentBlockParam {
    const input = this.json === '' ? {} : { input: objectOf(this.json) };
    return { ...this.start, ...input } as unknown as ContentBlockParam;
  }
}

/** JSON text as the object that it is; empty where it is none. */
export function objectOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
