import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into a server whose memory is measured: tells its parent, when asked, what is in use once
 * the garbage is gone, and since it was asked before, for how many milliseconds at most its event
 * loop stood still, and how many of a core it took.
 */
const delays = monitorEventLoopDelay({ resolution: 5 });
delays.enable();

/** Longer than the collection of the garbage, which is no stall of the server's own. */
const AFTER_MS = 50;

let before = process.cpuUsage();

process.on('message', () => {
  const stall_ms = delays.max / 1e6;
  const { user, system } = process.cpuUsage(before);
  globalThis.gc();
  globalThis.gc();
  const usage = process.memoryUsage();
  setTimeout(() => {
    delays.reset();
    before = process.cpuUsage();
    process.send({ ...usage, stall_ms, cpu_ms: (user + system) / 1000 });
  }, AFTER_MS);
});
