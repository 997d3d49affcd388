import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopAll } from './processes.mjs';

/**
 * Runs a check in a folder of its own, then stops its processes, removes the folder and ends this
 * process: with 1 if the check failed.
 */
export async function inScratchFolder(prefix, check) {
  const scratch = await mkdtemp(join(tmpdir(), prefix));
  try {
    await chmod(scratch, 0o755); // the image's user has to get in
    await check(scratch);
  } catch (error) {
    console.error(`FAIL ${error.stack}`);
    process.exitCode = 1;
  } finally {
    await stopAll();
    await rm(scratch, { recursive: true, force: true });
  }
  process.exit(); // what a failed check has left open is not waited for
}
