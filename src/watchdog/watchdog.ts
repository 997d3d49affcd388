import { Logger } from '@nestjs/common';
import { Worker } from 'node:worker_threads';
import type { Config } from '../config/config.js';
import type { AppLogger } from '../logging/app-logger.js';
import { redactor } from '../logging/redactor.js';
import { offerDescription } from './describe-stall.js';
import { beat, sharedState } from './stalls.js';

const THREAD = new URL('./thread/thread.js', import.meta.url);
const BEAT_MS = 250;
/** In leases: by then, other processes have taken over what this one ran. */
const MAX_STALL_LEASES = 4;
const MIN_STALL_LIMIT_MS = 10_000;
const HEAP = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };
/** The internals have the only watcher of signals that a thread can start. */
const THREAD_OPTIONS = ['--expose-internals', '--no-warnings'];

type WatchdogConfig = Pick<
  Config,
  'shutdownGraceMs' | 'leaseTtlMs' | 'logFormat' | 'environmentSecrets'
>;

/**
 * Starts a thread that reports when the event loop is blocked, by what, and for how long. It ends
 * the process if that lasts for several leases, or longer than the grace after a signal to stop,
 * which only an event loop can obey.
 */
export function startWatchdog(config: WatchdogConfig, logger: AppLogger): void {
  const { shutdownGraceMs, leaseTtlMs, logFormat } = config;
  offerDescription(redactor(config.environmentSecrets));
  setInterval(beat, BEAT_MS).unref();
  const worker = new Worker(THREAD, {
    workerData: {
      shared: sharedState,
      grace_ms: shutdownGraceMs,
      limit_ms: Math.max(leaseTtlMs * MAX_STALL_LEASES, MIN_STALL_LIMIT_MS),
      format: logFormat,
      levels: (['warn', 'error'] as const).filter((level) => logger.isLevelEnabled(level)),
    },
    ...{ env: {}, execArgv: THREAD_OPTIONS, resourceLimits: HEAP },
  });
  worker.on('error', (err) => {
    new Logger('Watchdog').warn({ message: 'The watchdog has failed; stalls go unseen', err });
  });
  worker.unref();
}
