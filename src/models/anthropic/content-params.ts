import type { ContentBlockParam, ImageBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { AppError } from '../../kernel/app-error.js';
import { IMAGE_TYPES } from '../../protocol/message.js';
import type { Image, ImageType } from '../../protocol/message.js';
import { isObject } from '../../kernel/json.js';

/** A data URL with a base64-encoded image. */
const DATA_URL = /^data:([a-z]+\/[a-z+.-]+);base64,([A-Za-z0-9+/]+={0,2})$/;

/**
 * Converts user content: text, or OpenAI's parts (`text`, `image_url`). The vendor rejects empty
 * texts, so they are left out.
 * @throws AppError `unsupported_content` for a part that the model can't receive
 */
export function contentParams(content: unknown): ContentBlockParam[] {
  if (!Array.isArray(content)) return textParam(content);
  return content.flatMap((part: unknown) => partParam(isObject(part) ? part : {}));
}

function partParam(part: Readonly<Record<string, unknown>>): ContentBlockParam[] {
  if (part.type === 'text') return textParam(part.text);
  if (part.type === 'image_url') return [imageParam(part.image_url)];
  throw unsupported(`a part of type ${JSON.stringify(part.type ?? null).slice(0, 60)}`);
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

export function imageBlock({ media_type, data }: Image): ImageBlockParam {
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
