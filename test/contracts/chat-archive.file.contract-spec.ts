import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/kernel/clock.js';
import { openFileStores } from '../../src/storage/file/file-stores.js';
import type { StorageProblem } from '../../src/storage/file/report-problem.js';
import { wholeStore } from '../support/store/whole-store.js';
import { chatArchiveContract } from './chat-archive.contract.js';

chatArchiveContract('files', async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'parley-archive-'));
  const problems: StorageProblem[] = [];
  const open = async () => {
    const stores = await openFileStores({
      data_dir,
      clock: new SystemClock(),
      report: (problem) => problems.push(problem),
    });
    const { archive, files } = stores;
    return { store: wholeStore(stores), archive, files, close: () => stores.close() };
  };
  let opened = await open();
  return {
    store: opened.store,
    archive: opened.archive,
    files: opened.files,
    reopen: async () => {
      await opened.close();
      opened = await open();
      return opened;
    },
    close: async () => {
      await opened.close();
      const left = (await readdir(join(data_dir, 'chats'))).filter((name) => name.startsWith('.'));
      await rm(data_dir, { recursive: true, force: true });
      expect({ problems, left }).toEqual({ problems: [], left: [] });
    },
  };
});
