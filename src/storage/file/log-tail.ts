import type { FileHandle } from 'node:fs/promises';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Commit } from './log-lines.js';
import { decodeCommit, decodeStart, isCommit, isRecord } from './log-lines.js';
import type { LogStart } from './log-start.js';
import { readLines } from './read-lines.js';

const NEWLINE = 10;
const FIRST_READ = 2048;

/** What a log says about itself, from its first and its last line. */
export interface LogEnds {
  readonly start: LogStart;
  readonly commit: Commit;
  /** Length of the commit line with its newline. */
  readonly commit_bytes: number;
  /** Length of the file. */
  readonly size: number;
}

/**
 * Reads both ends of a log and nothing between, whatever its length; undefined if it doesn't end with a commit. Synchronous: a start reads
 * thousands of them before anything is served.
 */
export function readEnds(path: string): LogEnds | undefined {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const last = readLastLine(fd, size);
    const commit = last && decodeCommit(last);
    if (!commit) return undefined;
    return {
      start: decodeStart(readFirstLine(fd, size)),
      commit,
      commit_bytes: last.length + 1,
      size,
    };
  } finally {
    closeSync(fd);
  }
}

/** How far a log goes that doesn't end as it should. */
export interface IntactPart {
  /** Length of the frames from the beginning that are whole; 0 if there is none. */
  readonly bytes: number;
  /** Whether commits follow what is broken: then it was not a write that was cut short. */
  readonly damaged: boolean;
}

export async function measureIntact(file: FileHandle, size: number): Promise<IntactPart> {
  let intact = 0;
  let records = 0;
  let damaged = false;
  for await (const { bytes, offset } of readLines(file, { from: 0, to: size })) {
    if (isRecord(bytes)) records++;
    if (!isCommit(bytes)) continue;
    const commit = decodeCommit(bytes);
    const whole = commit?.records === records && commit.bytes === offset - intact;
    if (!whole) damaged = true;
    if (damaged) break;
    intact = offset + bytes.length + 1;
    records = 0;
  }
  return { bytes: intact, damaged };
}

function readFirstLine(fd: number, size: number): Buffer {
  for (let length = FIRST_READ; ; length *= 2) {
    const head = readSpan(fd, 0, Math.min(length, size));
    const end = head.indexOf(NEWLINE);
    if (end >= 0 || length >= size) return head.subarray(0, end < 0 ? head.length : end);
  }
}

/** Undefined if the file doesn't end with a newline. */
function readLastLine(fd: number, size: number): Buffer | undefined {
  for (let length = FIRST_READ; ; length *= 2) {
    const tail = readSpan(fd, Math.max(0, size - length), Math.min(length, size));
    if (tail.at(-1) !== NEWLINE) return undefined;
    const before = tail.lastIndexOf(NEWLINE, -2);
    if (before >= 0 || length >= size) return tail.subarray(before + 1, -1);
  }
}

function readSpan(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
}
