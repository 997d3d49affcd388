import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/**
 * Reads `length` bytes of a file from an offset on; fewer only if it ends before. A single read may
 * give less than it is asked for, as of a file on another machine.
 */
export async function readSpan(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await file.read(bytes, at, length - at, from + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

/** Like `readSpan`, but synchronous. */
export function readSpanSync(fd: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  while (at < length) {
    const read = readSync(fd, bytes, at, length - at, from + at);
    if (read === 0) break;
    at += read;
  }
  return bytes.subarray(0, at);
}
