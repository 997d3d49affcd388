import { jpegSegments } from '../jpeg-segments.js';

const APP1 = 0xe1;
const EXIF = 'Exif\0\0';
const TAG = 0x0112;

/** How the picture of a JPEG is turned: 1 to 8, as in EXIF 2.3, 4.6.4 A; 1 is not at all. */
export function jpegOrientation(bytes: Buffer): number {
  try {
    for (const { marker, at } of jpegSegments(bytes))
      if (marker === APP1 && bytes.toString('latin1', at + 4, at + 10) === EXIF)
        return tiffOrientation(bytes.subarray(at + 10, at + 2 + bytes.readUInt16BE(at + 2)));
  } catch {
    // truncated
  }
  return 1;
}

/** TIFF 6.0: the entries of the first directory, of 12 bytes each. */
function tiffOrientation(tiff: Buffer): number {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const entries = Array.from({ length: short(directory) }, (_, n) => directory + 2 + n * 12);
  const found = entries.find((at) => short(at) === TAG);
  const value = found === undefined ? 1 : short(found + 8);
  return value >= 1 && value <= 8 ? value : 1;
}
