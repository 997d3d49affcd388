import type { ImageContent } from '@modelcontextprotocol/sdk/types.js';
import type { Image } from '../protocol/image.js';
import { MAX_IMAGE_BYTES, readImage } from '../tools/images/read-image.js';

/** One part of a result: what is said of it, and the image if it can be shown. */
export interface ImagePart {
  readonly text: string;
  readonly image?: Image;
}

/** What the server says of the format counts for nothing. */
export function imagePart({ mimeType, data }: ImageContent): ImagePart {
  const bytes = Buffer.byteLength(data, 'base64');
  const said = `image, ${mimeType}, ${bytes} bytes`;
  if (bytes > MAX_IMAGE_BYTES)
    return { text: `[${said}: not shown, ${MAX_IMAGE_BYTES} bytes are the most]` };
  const read = readImage(Buffer.from(data, 'base64'));
  if (!read) return { text: `[${said}: of a kind that can’t be shown]` };
  const text = `image, ${read.about}`;
  return read.ok ? { text: `[${text}]`, image: read.image } : { text: `[${text}: ${read.fault}]` };
}
