import type { ImageType } from '../../protocol/message.js';
import { jpegSegments } from './jpeg-segments.js';

/** In pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Reads the size from the header of an image; undefined if the header is invalid or truncated. */
export function imageSize(bytes: Buffer, type: ImageType): ImageSize | undefined {
  try {
    const size = READERS[type](bytes);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch {
    return undefined; // truncated before the size
  }
}

const READERS: Readonly<Record<ImageType, (bytes: Buffer) => ImageSize | undefined>> = {
  'image/png': pngSize,
  'image/jpeg': jpegSize,
  'image/gif': gifSize,
  'image/webp': webpSize,
};

/** PNG specification: IHDR comes first, IEND last. */
function pngSize(bytes: Buffer): ImageSize | undefined {
  if (textAt(bytes, 12) !== 'IHDR' || !bytes.includes('IEND', 33)) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): ImageSize | undefined {
  if (!bytes.includes(GIF_END, 13)) return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

const GIF_END = 0x3b;

/** The kinds of WebP: lossy, lossless, extended. */
function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.readUInt32LE(4) + 8 > bytes.length) return undefined;
  switch (textAt(bytes, 12)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

function jpegSize(bytes: Buffer): ImageSize | undefined {
  for (const { marker, at } of jpegSegments(bytes)) {
    if (!isFrame(marker)) continue;
    const isWhole = bytes.lastIndexOf(JPEG_END_MARK) > at;
    const size = { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    return isWhole ? size : undefined;
  }
  return undefined;
}

const JPEG_END_MARK = Buffer.from('ffd9', 'hex');
/** Markers in the range of the frame markers that are table markers. */
const JPEG_TABLES = new Set([0xc4, 0xc8, 0xcc]);

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && !JPEG_TABLES.has(marker);
}

function textAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + 4);
}
