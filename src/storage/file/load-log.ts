import { copyFile, open, rm } from 'node:fs/promises';
import type { ChatDirectory } from './chat-directory.js';
import { InteractionLog } from './interaction-log.js';
import { measureIntact, readEnds } from './log-tail.js';
import type { ReportProblem } from './report-problem.js';
import { describeError } from './report-problem.js';

/**
 * Takes up one log as the last process left it. An append that was cut short is dropped whole; what can't be explained by that is kept
 * aside. Undefined if not even the start was written, or the file is no log.
 */
export async function loadLog(
  directory: ChatDirectory,
  interactionId: string,
  report: ReportProblem,
): Promise<InteractionLog | undefined> {
  const path = directory.logFile(interactionId);
  try {
    const ends = readEnds(path) ?? (await dropIncomplete(path, report));
    return ends && InteractionLog.load(directory, ends);
  } catch (error) {
    const message = `It is left out: it can’t be read. ${describeError(error)}`;
    report({ path, message });
    return undefined;
  }
}

/** Answers what is left; without a whole first frame there never was an interaction, and the file goes. */
async function dropIncomplete(
  path: string,
  report: ReportProblem,
): Promise<ReturnType<typeof readEnds>> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const { bytes, damaged } = await measureIntact(file, size);
    if (damaged) await copyFile(path, `${path}.damaged`);
    await file.truncate(bytes);
    await file.sync();
    report({ path, message: damaged ? kept(path) : dropped(size - bytes) });
    if (bytes > 0) return readEnds(path);
  } finally {
    await file.close();
  }
  await rm(path);
  return undefined;
}

function dropped(bytes: number): string {
  return `An incomplete append of ${bytes} bytes was dropped: the process had stopped while it wrote.`;
}

function kept(path: string): string {
  return `It was damaged. What is before the damage was kept; as it was, it is ${path}.damaged.`;
}
