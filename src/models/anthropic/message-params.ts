import type { ContentBlockParam, ImageBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { AppError } from '../../kernel/app-error.js';
import { isObject } from '../../kernel/json/json.js';
import { IMAGE_TYPES } from '../../protocol/message.js';
import type {
  AssistantMessage,
  Message,
  ToolMessage,
  Image,
  ImageType,
} from '../../protocol/message.js';
import { blocksOf, type Author } from './kept-turn.js';
import { cutText } from '../../kernel/text/cut-text.js';

/** A turn of a request: a message whose content is a list of blocks. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlockParam[];
}

/** Placeholder where the vendor requires a user message. */
const NOTHING_SAID = '(nothing was said)';
const GO_ON = 'Go on.';

/**
 * Converts a conversation to the vendor's format: turns alternate, the first and the last are the
 * user's, none is empty, and all results of a turn's calls come first in the next turn. System
 * messages are left out.
 * @throws AppError `unsupported_content`
 */
export function messageParams(messages: readonly Message[], author: Author | undefined): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const isModels = message.role === 'assistant';
    addTo(turns, {
      role: isModels ? 'assistant' : 'user',
      content: isModels ? blocksOf(message, author) : userBlocks(message),
    });
  }
  if (turns[0]?.role !== 'user') turns.unshift(userSays(NOTHING_SAID));
  // Most models reject a request that ends with an assistant message (prefill).
  if (turns.at(-1)?.role === 'assistant') turns.push(userSays(GO_ON));
  return turns;
}

/** Merges consecutive turns of the same role. */
function addTo(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1);
  if (turn.content.length === 0) return;
  if (last?.role === turn.role) last.content.push(...turn.content);
  else turns.push(turn);
}

function userBlocks(message: Exclude<Message, AssistantMessage>): ContentBlockParam[] {
  if (message.role === 'tool') return [resultParam(message)];
  const images = message.role === 'user' ? (message.images ?? []) : [];
  return [...images.map(imageBlock), ...contentParams(message.content)];
}

function resultParam({ tool_call_id, content, images = [] }: ToolMessage): ContentBlockParam {
  const result = { type: 'tool_result', tool_use_id: tool_call_id } as const;
  const isEmpty = content.trim() === '';
  if (images.length === 0) return { ...result, ...(!isEmpty && { content }) };
  const text = isEmpty ? [] : [{ type: 'text' as const, text: content }];
  return { ...result, content: [...text, ...images.map(imageBlock)] };
}

function userSays(text: string): Turn {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** A data URL with a base64-encoded image. */
const DATA_URL = /^data:([a-z]+\/[a-z+.-]+);base64,([A-Za-z0-9+/]+={0,2})$/;

/**
 * Converts user content: text, or OpenAI's parts (`text`, `image_url`). The vendor rejects empty
 * texts, so they are left out.
 * @throws AppError `unsupported_content` for a part that the model can't receive
 */
function contentParams(content: unknown): ContentBlockParam[] {
  if (!Array.isArray(content)) return textParam(content);
  return content.flatMap((part: unknown) => partParam(isObject(part) ? part : {}));
}

function partParam(part: Readonly<Record<string, unknown>>): ContentBlockParam[] {
  if (part.type === 'text') return textParam(part.text);
  if (part.type === 'image_url') return [imageParam(part.image_url)];
  throw unsupported(`a part of type ${cutText(JSON.stringify(part.type ?? null), 60)}`);
}

function textParam(text: unknown): ContentBlockParam[] {
  return typeof text === 'string' && text.trim() !== '' ? [{ type: 'text', text }] : [];
}

function imageParam(image: unknown): ImageBlockParam {
  const url = isObject(image) ? image.url : image;
  if (typeof url !== 'string') throw unsupported('an image without a URL');
  if (/^https?:\/\//.test(url)) return { type: 'image', source: { type: 'url', url } };
  const [, media_type = '', data = ''] = DATA_URL.exec(url) ?? [];
  if (!isMediaType(media_type)) throw unsupported(`an image that is no ${IMAGE_TYPES.join(', ')}`);
  return imageBlock({ media_type, data });
}

function imageBlock({ media_type, data }: Image): ImageBlockParam {
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

function isMediaType(type: string): type is ImageType {
  return IMAGE_TYPES.some((known) => known === type);
}

function unsupported(what: string): AppError {
  return new AppError(
    'invalid',
    'unsupported_content',
    `The conversation has ${what}, which Anthropic's models don't take. Send text, or images as data URLs in base64.`,
  );
}
