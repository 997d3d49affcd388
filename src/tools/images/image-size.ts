import type { ImageType } from '../../protocol/message.js';

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

/** ITU T.81, B.1: segments with a length each, up to the frame header. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  for (let at = 2; at < bytes.length;) {
    if (bytes.readUInt8(at) !== MARK) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (marker === MARK) {
      at++; // fill bytes are allowed before a marker
      continue;
    }
    if (marker === JPEG_SCAN || marker === JPEG_END) return undefined;
    if (isFrame(marker)) {
      const isWhole = bytes.lastIndexOf(JPEG_END_MARK) > at;
      const size = { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
      return isWhole ? size : undefined;
    }
    at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return undefined;
}

const MARK = 0xff;
const JPEG_SCAN = 0xda;
const JPEG_END = 0xd9;
const JPEG_END_MARK = Buffer.from([MARK, JPEG_END]);
/** Markers in the range of the frame markers that are table markers. */
const JPEG_TABLES = new Set([0xc4, 0xc8, 0xcc]);

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && !JPEG_TABLES.has(marker);
}

function textAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + 4);
}
