import type { AppError } from '../../src/kernel/app-error.js';
import { DataDirLock } from '../../src/storage/data-dir-lock.js';

/**
 * A process of its own: acquires the lock of a data directory, tells its parent, and releases it
 * when it is told to.
 */
const report = (message: string) => process.send!(message);
try {
  const lock = await DataDirLock.acquire(process.argv[2]!);
  process.on('message', () => {
    void lock
      .release()
      .then(() => report('released'))
      .then(() => process.disconnect());
  });
  report('held');
} catch (error) {
  const { code, message } = error as AppError;
  report(`${code}: ${message}`);
  process.disconnect();
}
