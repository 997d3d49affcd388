import type { Image, ImageType } from '../../protocol/message.js';
import { imageSize } from './image-size.js';

/** Maximum size of an image file, in bytes. */
export const MAX_IMAGE_BYTES = 1024 * 1024;
export const TOO_LARGE = `has more than the ${MAX_IMAGE_BYTES.toLocaleString('en-US')} bytes that can be shown`;
/** Maximum pixels of a side; vendors reject the whole request above it. */
const MAX_SIDE = 8_000;

export type ReadImage =
  /** `about`: such as "image/png, 640×480, 12,345 bytes". */
  | { readonly ok: true; readonly image: Image; readonly about: string }
  /**
   * `fault`: why the image can't be shown; the end of a sentence that begins with a description of
   * it.
   */
  | { readonly ok: false; readonly fault: string; readonly about: string };

/** Checks if bytes can be shown to a model as an image; undefined if they are no image. */
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
  if (bytes.length > MAX_IMAGE_BYTES) return TOO_LARGE;
  if (side === undefined) return 'is damaged or not complete';
  if (side > MAX_SIDE) return `has a side of more than the ${MAX_SIDE} pixels that can be shown`;
  return isAnimated(bytes, type) ? 'is animated, and only still images can be shown' : undefined;
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
