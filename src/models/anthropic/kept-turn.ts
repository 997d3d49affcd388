import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { AssistantMessage } from '../../protocol/message.js';
import { isObject } from '../../kernel/json/json.js';
import { fromRecorded, toRecorded } from '../answer/opaque-json.js';
import { inputOf, type TurnBlock } from './turn-block.js';

/** This provider's member of `provider_data`. */
const MEMBER = 'anthropic';

const THOUGHTS = new Set(['thinking', 'redacted_thinking']);

type Kept = Readonly<Record<string, unknown>>;

/** The model and the endpoint that wrote a turn, and the only ones that get its blocks back. */
export interface Author {
  readonly model: string;
  /** A digest of the endpoint's URL. */
  readonly endpoint: string;
}

/**
 * The blocks of a turn in their order, as its message keeps them, so that they can be sent back to
 * the vendor unchanged. Texts and calls are in the message itself and are only counted here.
 * Undefined if there are no other blocks.
 */
export function keepTurn(
  blocks: readonly TurnBlock[],
  author: Author,
): AssistantMessage['provider_data'] {
  const kept = blocks.filter((block) => !isUnsigned(block.param()));
  if (kept.every(({ kind }) => kind === 'text' || kind === 'call')) return undefined;
  return { [MEMBER]: { ...author, blocks: kept.map(keep) } };
}

/** Thinking that its vendor did not sign or encrypt, as of gateways: it would be refused. */
export function isUnsigned(block: { readonly type: unknown }): boolean {
  const { type, signature, data } = block as Kept;
  if (type !== 'thinking' && type !== 'redacted_thinking') return false;
  const proof = type === 'thinking' ? signature : data;
  return typeof proof !== 'string' || proof.trim() === '';
}

function keep(block: TurnBlock): unknown {
  switch (block.kind) {
    case 'text':
      return { type: 'text', chars: block.text.text.length };
    case 'call':
      return { type: 'tool_use' };
    case 'thinking':
      return block.param();
    case 'opaque':
      return toRecorded(block.param());
  }
}

/**
 * The blocks of an assistant's message. The kept blocks are sent back only to the model that wrote
 * them, because their signatures are valid for that model only, and only if they still match the
 * message. Without an author none are.
 */
export function blocksOf(
  message: AssistantMessage,
  author: Author | undefined,
): ContentBlockParam[] {
  const kept = author && restored(message, author);
  return endingInWords(kept ?? [...texts(message.content ?? ''), ...calls(message)]);
}

/** The vendor rejects thinking at the end of a message. */
export function endingInWords(blocks: readonly ContentBlockParam[]): ContentBlockParam[] {
  const last = blocks.findLastIndex(({ type }) => !THOUGHTS.has(type));
  return blocks.slice(0, last + 1);
}

function restored(
  message: AssistantMessage,
  { model, endpoint }: Author,
): ContentBlockParam[] | undefined {
  const kept = message.provider_data?.[MEMBER];
  if (!isObject(kept) || kept.model !== model || !Array.isArray(kept.blocks)) return undefined;
  const { endpoint: origin = endpoint } = kept; // earlier logs name no endpoint
  if (origin !== endpoint) return undefined;
  const blocks: unknown[] = kept.blocks.map(fromRecorded);
  const parts = new Parts(message);
  const params = blocks.flatMap((block) => (isObject(block) ? parts.fill(block) : [undefined]));
  return parts.areUsed && params.every(isBlock) ? params : undefined;
}

/** The texts and calls of a message, which are put back in their original positions. */
class Parts {
  private readonly calls: ContentBlockParam[];
  private text: string;

  constructor(message: AssistantMessage) {
    this.text = message.content ?? '';
    this.calls = calls(message);
  }

  get areUsed(): boolean {
    return this.text === '' && this.calls.length === 0;
  }

  fill(block: Kept): (ContentBlockParam | undefined)[] {
    if (block.type === 'tool_use') return [this.calls.shift()];
    if (isUnsigned({ type: block.type, ...block })) return [];
    if (block.type !== 'text') return [isSendable(block) ? block : undefined];
    const text = this.text.slice(0, Number(block.chars));
    this.text = this.text.slice(text.length);
    return text.length === block.chars ? texts(text) : [undefined];
  }
}

/** The vendor rejects empty texts. */
function texts(text: string): ContentBlockParam[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function calls({ tool_calls = [] }: AssistantMessage): ContentBlockParam[] {
  return tool_calls.map(({ id, function: { name, arguments: json } }) => ({
    type: 'tool_use',
    id,
    name,
    input: inputOf(json),
  }));
}

function isBlock(block: ContentBlockParam | undefined): block is ContentBlockParam {
  return block !== undefined;
}

/** A log is untrusted input, so the shape of its blocks is checked. */
function isSendable(block: Kept): block is Kept & ContentBlockParam {
  if (block.type === 'thinking')
    return typeof block.thinking === 'string' && typeof block.signature === 'string';
  if (block.type === 'redacted_thinking')
    return typeof block.data === 'string' && block.data !== '';
  return typeof block.type === 'string' && block.type !== 'tool_result';
}
