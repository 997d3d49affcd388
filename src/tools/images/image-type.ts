import type { ImageType } from '../../protocol/image.js';

/** How files of each begin, as hexadecimal digits. */
const SIGNATURES: readonly (readonly [type: ImageType, pattern: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** An image's format, by its first bytes; undefined if it is none that we know. */
export function imageType(bytes: Buffer): ImageType | undefined {
  const start = bytes.subarray(0, 12).toString('hex');
  return SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0];
}
