import { closeSync, fstatSync, openSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { copyFile, open, rm } from 'node:fs/promises';
import { readSpanSync } from '../../../kernel/disk/read-span.js';
import type { InteractionStart } from '../../memory/core/journal.js';
import { StoredInteraction } from '../../memory/core/stored-interaction.js';
import type { ChatDirectory } from './chat-directory.js';
import { FileLog } from './file-log.js';
import type { Commit } from './log-format.js';
import { decodeCommit, decodeStart, isCommit, isRecord } from './log-format.js';
import { readLines } from './read-lines.js';
import type { ReportProblem } from '../report-problem.js';
import { describeError } from '../report-problem.js';

const NEWLINE = 10;
const FIRST_READ = 2048;

/** The first and the last line of a log. */
interface LogEnds {
  readonly start: InteractionStart;
  readonly commit: Commit;
  /** Length of the commit line with its newline. */
  readonly commit_bytes: number;
  /** Length of the file. */
  readonly size: number;
}

/**
 * Loads one log as the last process left it. An incomplete append is dropped as a whole; a log
 * damaged in another way is copied first. Undefined if not even the start was written, or if the
 * file is not a log.
 */
export async function loadLog(
  directory: ChatDirectory,
  interactionId: string,
  report: ReportProblem,
): Promise<StoredInteraction | undefined> {
  const path = directory.logFile(interactionId);
  try {
    const ends = readEnds(path) ?? (await dropIncomplete(path, report));
    if (!ends) return undefined;
    const { start, commit, commit_bytes, size } = ends;
    const log = new FileLog(directory, start.id);
    log.moveTo(size, { ...commit, commit_bytes });
    const interaction = new StoredInteraction(start, commit.state, log);
    await interaction.loadChildren();
    return interaction;
  } catch (error) {
    const message = `It is left out: it can’t be read. ${describeError(error)}`;
    report({ path, message });
    return undefined;
  }
}

/**
 * Undefined if the log doesn't end with a commit. Reads only both ends, however long the log is.
 * Synchronous, because that is faster for the thousands of logs at a start, when no request is
 * served yet.
 */
function readEnds(path: string): LogEnds | undefined {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const last = readLastLine(fd, size);
    const commit = last && decodeCommit(last);
    if (!commit) return undefined;
    const start = decodeStart(readFirstLine(fd, size));
    return { start, commit, commit_bytes: last.length + 1, size };
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns the remaining log. Without a complete first append the interaction never existed, and its
 * file is removed.
 */
async function dropIncomplete(path: string, report: ReportProblem): Promise<LogEnds | undefined> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const { bytes, damaged } = await measureIntact(file, size);
    if (damaged) await copyFile(path, `${path}.damaged`);
    await file.truncate(bytes);
    await file.sync();
    const message = damaged
      ? `It was damaged. The appends before the damage were kept; the damaged file is ${path}.damaged.`
      : `An incomplete append of ${size - bytes} bytes was dropped: the process had stopped while it wrote.`;
    report({ path, message });
    if (bytes > 0) return readEnds(path);
  } finally {
    await file.close();
  }
  await rm(path);
  return undefined;
}

/**
 * The length of the complete appends from the beginning; `damaged` if commits follow them, which an
 * interrupted write can't explain.
 */
async function measureIntact(
  file: FileHandle,
  size: number,
): Promise<{ bytes: number; damaged: boolean }> {
  let intact = 0;
  let records = 0;
  for await (const { bytes, offset } of readLines(file, { from: 0, to: size })) {
    if (isRecord(bytes)) records++;
    if (!isCommit(bytes)) continue;
    const commit = decodeCommit(bytes);
    if (commit?.records !== records || commit.bytes !== offset - intact)
      return { bytes: intact, damaged: true };
    intact = offset + bytes.length + 1;
    records = 0;
  }
  return { bytes: intact, damaged: false };
}

function readFirstLine(fd: number, size: number): Buffer {
  for (let length = FIRST_READ; ; length *= 2) {
    const head = readSpanSync(fd, 0, Math.min(length, size));
    const end = head.indexOf(NEWLINE);
    if (end >= 0 || length >= size) return head.subarray(0, end < 0 ? head.length : end);
  }
}

/** Undefined if the file doesn't end with a newline. */
function readLastLine(fd: number, size: number): Buffer | undefined {
  for (let length = FIRST_READ; ; length *= 2) {
    const tail = readSpanSync(fd, Math.max(0, size - length), Math.min(length, size));
    if (tail.at(-1) !== NEWLINE) return undefined;
    const before = tail.lastIndexOf(NEWLINE, -2);
    if (before >= 0 || length >= size) return tail.subarray(before + 1, -1);
  }
}
