// Entry point of the watchdog's thread. Plain JavaScript: a worker loads it without a build step.
// It uses nothing that needs the main thread: its log lines and its end of the process are system
// calls.
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { workerData } from 'node:worker_threads';
import { logLine } from './log-line.js';
import { askMainThread } from './main-thread.js';

const { shared, grace_ms, limit_ms } = workerData;
const [BEAT, STALLS, STALLED_MS] = [0, 1, 2];

const TICK_MS = 250;
const STALL_MS = 1_000;
/** After the grace, in which a main thread that works ends the process in its own way. */
const MARGIN_MS = 2_000;

let lastBeat = Atomics.load(shared, BEAT);
let lastTick = performance.now();
/** Measured in this thread's time: while the whole process is suspended, nothing is blocked. */
let blocked_ms = 0;
let next_report_ms = STALL_MS;
let since_signal_ms;
let isSecondSignal = false;
let isDebugged = false;

watchSignals();
setInterval(tick, TICK_MS);

function tick() {
  const now = performance.now();
  const passed_ms = Math.min(now - lastTick, 2 * TICK_MS);
  lastTick = now;
  if (since_signal_ms !== undefined) since_signal_ms += passed_ms;
  const beat = Atomics.load(shared, BEAT);
  if (beat === lastBeat) onSilence(passed_ms);
  else onBeat(beat);
}

function onBeat(beat) {
  lastBeat = beat;
  if (isStalled())
    logLine('warn', `The event loop was blocked for ${seconds(blocked_ms)}`, { blocked_ms });
  blocked_ms = 0;
  next_report_ms = STALL_MS;
}

function onSilence(passed_ms) {
  const wasStalled = isStalled();
  blocked_ms += passed_ms;
  if (!isStalled()) return;
  Atomics.add(shared, STALLED_MS, Math.round(wasStalled ? passed_ms : blocked_ms));
  if (!wasStalled) Atomics.add(shared, STALLS, 1);
  if (blocked_ms >= next_report_ms) report();
  if (since_signal_ms > grace_ms + MARGIN_MS) end('the grace after a signal to stop is over');
  if (isSecondSignal) end('a second signal to stop came');
  if (blocked_ms >= limit_ms && !isDebugged) end('other processes have taken over its runs');
}

function isStalled() {
  return blocked_ms >= STALL_MS;
}

/** Each report is about twice as late as the one before. */
function report() {
  next_report_ms = blocked_ms * 2;
  const message = `The event loop has been blocked for ${seconds(blocked_ms)}`;
  askMainThread(TICK_MS, (answer) => {
    isDebugged = answer?.is_debugged ?? false;
    if (answer) logLine('warn', message, { work: answer.work, frames: answer.frames });
    else
      logLine('warn', `${message}, outside of JavaScript: by a system call, or a native library`);
  });
}

function end(why) {
  logLine(
    'error',
    `The event loop has been blocked for ${seconds(blocked_ms)}; exiting, as ${why}`,
  );
  process.kill(process.pid, 'SIGKILL');
}

/** A signal reaches the event loops of all threads that watch for it. */
function watchSignals() {
  try {
    const { internalBinding } = createRequire(import.meta.url)('internal/test/binding');
    const { Signal } = internalBinding('signal_wrap');
    for (const name of ['SIGTERM', 'SIGINT']) {
      const watcher = new Signal();
      watcher.unref();
      watcher.onsignal = onSignal;
      watcher.start(constants.signals[name]);
    }
  } catch {
    logLine('warn', 'A blocked event loop can’t be stopped by signals on this version of Node');
  }
}

function onSignal() {
  isSecondSignal = since_signal_ms !== undefined;
  since_signal_ms ??= 0;
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
