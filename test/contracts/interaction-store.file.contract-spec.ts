import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/kernel/clock.js';
import { openFileStores } from '../../src/storage/file/file-stores.js';
import type { StorageProblem } from '../../src/storage/file/report-problem.js';
import { wholeStore } from '../support/store/whole-store.js';
import { interactionStoreContract } from './interaction-store.contract.js';

interactionStoreContract('files', async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'parley-files-'));
  const problems: StorageProblem[] = [];
  const open = () =>
    openFileStores({
      data_dir,
      clock: new SystemClock(),
      report: (problem) => problems.push(problem),
    });
  let stores = await open();
  return {
    store: wholeStore(stores),
    reopen: async () => {
      await stores.close();
      stores = await open();
      return wholeStore(stores);
    },
    close: async () => {
      await stores.close();
      await rm(data_dir, { recursive: true, force: true });
      expect(problems).toEqual([]);
    },
  };
});
