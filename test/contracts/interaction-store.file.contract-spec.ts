import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/kernel/clock.js';
import { FileInteractionStore } from '../../src/storage/file/file-interaction-store.js';
import type { StorageProblem } from '../../src/storage/file/report-problem.js';
import { interactionStoreContract } from './interaction-store.contract.js';

interactionStoreContract(FileInteractionStore.name, async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'parley-files-'));
  const problems: StorageProblem[] = [];
  const open = () =>
    FileInteractionStore.open({
      data_dir,
      clock: new SystemClock(),
      report: (problem) => problems.push(problem),
    });
  let store = await open();
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await open();
      return store;
    },
    close: async () => {
      await store.close();
      await rm(data_dir, { recursive: true, force: true });
      expect(problems).toEqual([]);
    },
  };
});
