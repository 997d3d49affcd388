import { z } from 'zod';
import { exactJson, parseExact } from '../../kernel/json/exact-json.js';
import { canonicalJson, isObject } from '../../kernel/json/json.js';
import type { Image } from '../../protocol/message.js';
import { ToolOutput } from '../../tools/core/tool-output.js';
import { MAX_IMAGE_BYTES, readImage } from '../../tools/images/read-image.js';
import { terminalText } from '../../tools/text/terminal-text.js';

/**
 * Maximum number of blocks. Each block is parsed by itself: an invalid block, or too many of them,
 * do not cost the others.
 */
const MAX_BLOCKS = 1_000;
/** Maximum number of images shown per result; the others are only named. */
const MAX_IMAGES = 4;

/** The result of a call as the server sends it. Its blocks are not validated yet. */
export const callResult = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
});

type CallResult = z.output<typeof callResult>;

/** Some servers send a data URL where the protocol wants its base64 alone. */
const DATA_URL = /^data:[^,]{0,200};base64,/i;

const base64Data = z.string().transform((text) => text.replace(DATA_URL, ''));

const shownText = z.string().default('');

/** The parts of a block that are shown; an odd member beside them costs nothing. */
const contentBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: shownText }),
  z.object({ type: z.literal('image'), data: base64Data, mimeType: shownText }),
  z.object({ type: z.literal('audio'), data: base64Data, mimeType: shownText }),
  z.object({ type: z.literal('resource_link'), uri: z.string(), name: shownText }),
  z.object({
    type: z.literal('resource'),
    resource: z.object({
      uri: shownText,
      mimeType: z.string().default('binary'),
      text: z.string().optional(),
      blob: base64Data.default(''),
    }),
  }),
]);

type ContentBlock = z.output<typeof contentBlock>;
type ImageContent = Extract<ContentBlock, { type: 'image' }>;

/** Converts a result for the model: images, and text that also names all other content. */
export function resultOutput({ content, structuredContent }: CallResult): ToolOutput {
  if (content.length === 0 && structuredContent)
    return new ToolOutput(exactJson(structuredContent));
  const images: Image[] = [];
  const texts = content.slice(0, MAX_BLOCKS).map((block) => readBlock(block, images));
  const more = content.length - texts.length;
  const rest = [
    ...(more > 0 ? [`[… and ${more} more parts]`] : []),
    ...structuredRest(structuredContent, texts),
  ];
  const text = [...texts, ...rest].join('\n');
  return new ToolOutput(text, images.length > 0 ? { journal: { images } } : {});
}

/** The fields that no text has: servers repeat them there, as JSON or one by one. */
function structuredRest(structured: unknown, texts: readonly string[]): string[] {
  if (!isObject(structured)) return [];
  const whole = canonicalJson(structured);
  if (texts.some((text) => text.startsWith('{') && canonicalOf(text) === whole)) return [];
  const shown = new Set<unknown>(texts);
  const rest = Object.entries(structured).filter(([, value]) => !shown.has(value));
  return rest.length > 0 ? [exactJson(Object.fromEntries(rest))] : [];
}

/** Undefined if it is no JSON. */
function canonicalOf(text: string): string | undefined {
  try {
    return canonicalJson(parseExact(text));
  } catch {
    return undefined;
  }
}

function readBlock(value: unknown, images: Image[]): string {
  const block = contentBlock.safeParse(value);
  return block.success ? blockText(block.data, images) : '[a part of a kind that is not known]';
}

function blockText(block: ContentBlock, images: Image[]): string {
  switch (block.type) {
    case 'text':
      return terminalText(block.text);
    case 'image':
      return showImage(imagePart(block), images);
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${bytes(block.data)}]`;
    case 'resource_link':
      return `[resource ${block.name}: ${block.uri}]`;
    case 'resource': {
      const { resource } = block;
      if (resource.text !== undefined) return `${resource.uri}:\n${resource.text}`;
      return `[resource ${resource.uri}, ${resource.mimeType}, ${bytes(resource.blob)}]`;
    }
  }
}

function showImage({ text, image }: ImagePart, images: Image[]): string {
  if (!image) return text;
  if (images.length >= MAX_IMAGES) return `${text} [not shown: ${MAX_IMAGES} of a result are]`;
  images.push(image);
  return text;
}

function bytes(base64: string): string {
  return `${Buffer.byteLength(base64, 'base64')} bytes`;
}

/** A part of a result: its description, and the image if it can be shown. */
interface ImagePart {
  readonly text: string;
  readonly image?: Image;
}

/** The format is read from the data: the server's `mimeType` is not trusted. */
function imagePart({ mimeType, data }: ImageContent): ImagePart {
  if (Buffer.byteLength(data, 'base64') > MAX_IMAGE_BYTES) {
    const limit = `not shown, the limit is ${MAX_IMAGE_BYTES} bytes`;
    return { text: `[image, ${mimeType}, ${bytes(data)}: ${limit}]` };
  }
  const read = readImage(Buffer.from(data, 'base64'));
  if (!read) return { text: `[image, ${mimeType}, ${bytes(data)}: unsupported format]` };
  const text = `image, ${read.about}`;
  return read.ok ? { text: `[${text}]`, image: read.image } : { text: `[${text}: ${read.fault}]` };
}
