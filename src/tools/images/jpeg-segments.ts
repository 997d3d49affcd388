/** Segments and fill bytes before the frame header; cameras write less than a hundred. */
const MAX_STEPS = 10_000;
const MARK = 0xff;
const SCAN = 0xda;
const END = 0xd9;

interface JpegSegment {
  readonly marker: number;
  /** Where its marker begins; two bytes of length follow it. */
  readonly at: number;
}

/**
 * ITU T.81, B.1: the segments before the scan, with a length each.
 * @throws RangeError where the file is truncated
 */
export function* jpegSegments(bytes: Buffer): Iterable<JpegSegment> {
  for (let at = 2, steps = 0; at < bytes.length && steps < MAX_STEPS; steps++) {
    if (bytes.readUInt8(at) !== MARK) return;
    const marker = bytes.readUInt8(at + 1);
    if (marker === MARK) {
      at++; // fill bytes are allowed before a marker
      continue;
    }
    if (marker === SCAN || marker === END) return;
    yield { marker, at };
    at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
}
