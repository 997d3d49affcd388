import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

const { format, levels } = workerData;
const STDOUT = 1;

/** Writes a line as `AppLogger` does: the streams of a thread would need the main thread. */
export function logLine(level, message, fields = {}) {
  if (!levels.includes(level)) return;
  const time = new Date().toISOString();
  const entry = { level, time, pid: process.pid, context: 'Watchdog', message, ...fields };
  const line = format === 'pretty' ? prettyLine(entry, fields) : JSON.stringify(entry);
  try {
    writeSync(STDOUT, `${line}\n`);
  } catch {
    // Its reader is slow or gone.
  }
}

function prettyLine({ level, time, message }, { work, frames = [] }) {
  const head = `[${time.slice(11, 23)}] ${level.toUpperCase()}: [Watchdog] ${message}`;
  return [work ? `${head} (${work})` : head, ...frames.map((frame) => `    ${frame}`)].join('\n');
}
