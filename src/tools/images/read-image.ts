import type { Image, ImageType } from '../../protocol/image.js';
import { imageSize } from './image-size.js';

/** Bytes of one image's file. */
export const MAX_IMAGE_BYTES = 1024 * 1024;
/** Pixels of a side; vendors refuse a whole request for one more. */
const MAX_SIDE = 8_000;

export type ReadImage =
  /** `about`: such as "image/png, 640×480, 12,345 bytes". */
  | { readonly ok: true; readonly image: Image; readonly about: string }
  /** `fault`: why it can't be shown, the end of a sentence that begins with what it is. */
  | { readonly ok: false; readonly fault: string; readonly about: string };

/** Checks whether bytes can be shown to a model as an image; undefined if they are no image. */
export function readImage(bytes: Buffer): ReadImage | undefined {
  const media_type = imageType(bytes);
  if (media_type === undefined) return undefined;
  const size = imageSize(bytes, media_type);
  const sides = size && `${size.width}×${size.height}`;
  const length = `${bytes.length.toLocaleString('en-US')} bytes`;
  const about = [media_type, sides, length].filter(Boolean).join(', ');
  const fault = faultOf(bytes, media_type, size && Math.max(size.width, size.height));
  if (fault !== undefined) return { ok: false, fault, about };
  return { ok: true, image: { media_type, data: bytes.toString('base64') }, about };
}

function faultOf(bytes: Buffer, type: ImageType, side: number | undefined): string | undefined {
  if (bytes.length > MAX_IMAGE_BYTES)
    return `has more than the ${MAX_IMAGE_BYTES.toLocaleString('en-US')} bytes that can be shown`;
  if (side === undefined) return 'is damaged or not complete';
  if (side > MAX_SIDE) return `has a side of more than the ${MAX_SIDE} pixels that can be shown`;
  return isAnimated(bytes, type) ? 'is animated, and only still images can be shown' : undefined;
}

/** A GIF says how often it repeats, a WebP has a flag for it. */
function isAnimated(bytes: Buffer, type: ImageType): boolean {
  if (type === 'image/gif') return bytes.includes('NETSCAPE2.0');
  return (
    type === 'image/webp' && bytes.toString('latin1', 12, 16) === 'VP8X' && (bytes[20]! & 2) !== 0
  );
}

/** How files of each begin, as hexadecimal digits. */
const SIGNATURES: readonly (readonly [type: ImageType, pattern: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** An image's format, by its first bytes; undefined if it is none that we know. */
function imageType(bytes: Buffer): ImageType | undefined {
  const start = bytes.subarray(0, 12).toString('hex');
  return SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0];
}
