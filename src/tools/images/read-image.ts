import type { Image, ImageType } from '../../protocol/message.js';
import { imageSize } from './image-size.js';
import type { ImageSize } from './image-size.js';

/** Maximum size of an image file, in bytes. */
export const MAX_IMAGE_BYTES = 1024 * 1024;
/** Maximum pixels of a side; vendors reject the whole request above it. */
const MAX_SIDE = 8_000;
/** Maximum pixels: a program that shows an image decodes it to four bytes a pixel. */
export const MAX_PIXELS = 25_000_000;

/** `about`: such as "image/png, 640×480, 12,345 bytes". */
export type ReadImage =
  | { readonly ok: true; readonly image: Image; readonly about: string }
  /**
   * `fault`: why the image can't be shown; the end of a sentence that begins with a description of
   * it. `too_large`: a smaller copy of it may be shown.
   */
  | {
      readonly ok: false;
      readonly fault: string;
      readonly about: string;
      readonly too_large?: { readonly type: ImageType; readonly size: ImageSize };
    };

/** Checks if bytes can be shown to a model as an image; undefined if they are no image. */
export function readImage(bytes: Buffer, max_bytes = MAX_IMAGE_BYTES): ReadImage | undefined {
  const type = imageType(bytes);
  if (type === undefined) return undefined;
  const size = imageSize(bytes, type);
  const about = aboutImage(type, bytes.length, size);
  if (!size) return { ok: false, fault: 'is damaged or not complete', about };
  if (isAnimated(bytes, type))
    return { ok: false, fault: 'is animated, and only still images can be shown', about };
  const fault = sizeFault(bytes.length, size, max_bytes);
  if (fault !== undefined) return { ok: false, fault, about, too_large: { type, size } };
  return { ok: true, image: { media_type: type, data: bytes.toString('base64') }, about };
}

export function aboutImage(type: ImageType, bytes: number, size?: ImageSize): string {
  const sides = size && `${size.width}×${size.height}`;
  return [type, sides, `${bytes.toLocaleString('en-US')} bytes`].filter(Boolean).join(', ');
}

function sizeFault(
  bytes: number,
  { width, height }: ImageSize,
  max_bytes: number,
): string | undefined {
  if (bytes > max_bytes)
    return `has more than the ${max_bytes.toLocaleString('en-US')} bytes that can be shown`;
  if (Math.max(width, height) > MAX_SIDE)
    return `has a side of more than the ${MAX_SIDE} pixels that can be shown`;
  if (width * height > MAX_PIXELS)
    return `has more pixels than the ${MAX_PIXELS / 1e6} million that can be shown`;
  return undefined;
}

/** Checks the loop extension of a GIF, or the animation flag of a WebP. */
function isAnimated(bytes: Buffer, type: ImageType): boolean {
  if (type === 'image/gif') return bytes.includes('NETSCAPE2.0');
  return (
    type === 'image/webp' && bytes.toString('latin1', 12, 16) === 'VP8X' && (bytes[20]! & 2) !== 0
  );
}

/** The magic numbers of the formats, as hexadecimal digits. */
const SIGNATURES: readonly (readonly [type: ImageType, pattern: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** Detects an image's format by its magic number; undefined if the format is not supported. */
function imageType(bytes: Buffer): ImageType | undefined {
  const start = bytes.subarray(0, 12).toString('hex');
  return SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0];
}
