import type { FileHandle } from 'node:fs/promises';

const NEWLINE = 10;
const FIRST_CHUNK = 64 * 1024;

export interface Line {
  /** Without its newline. Valid until the next line is requested. */
  readonly bytes: Buffer;
  /** Offset of its beginning in the file. */
  readonly offset: number;
}

/**
 * The complete lines between two offsets. Only the byte `\n` ends a line: U+2028 and similar
 * characters are text. Data after the last newline is left out.
 */
export async function* readLines(
  file: FileHandle,
  { from, to }: { from: number; to: number },
): AsyncGenerator<Line> {
  let carry: Buffer = Buffer.alloc(0);
  let position = from;
  let size = FIRST_CHUNK;
  while (position < to) {
    const chunk = Buffer.allocUnsafe(Math.min(size, to - position));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    const text = Buffer.concat([carry, chunk.subarray(0, bytesRead)]);
    const base = position - carry.length;
    position += bytesRead;
    let begin = 0;
    for (
      let end = text.indexOf(NEWLINE, carry.length);
      end >= 0;
      end = text.indexOf(NEWLINE, begin)
    ) {
      yield { bytes: text.subarray(begin, end), offset: base + begin };
      begin = end + 1;
    }
    // A line longer than a chunk: larger chunks keep the cost of copying linear.
    size = begin === 0 ? size * 2 : FIRST_CHUNK;
    carry = text.subarray(begin);
  }
}
