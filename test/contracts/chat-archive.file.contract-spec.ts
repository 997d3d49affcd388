import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/kernel/clock.js';
import { FileChatArchive } from '../../src/storage/file/file-chat-archive.js';
import { FileInteractionStore } from '../../src/storage/file/file-interaction-store.js';
import type { StorageProblem } from '../../src/storage/file/report-problem.js';
import { chatArchiveContract } from './chat-archive.contract.js';

chatArchiveContract(FileChatArchive.name, async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'parley-archive-'));
  const problems: StorageProblem[] = [];
  const open = async () => {
    const store = await FileInteractionStore.open({
      data_dir,
      clock: new SystemClock(),
      report: (problem) => problems.push(problem),
    });
    return { store, archive: store.archive };
  };
  let opened = await open();
  return {
    ...opened,
    reopen: async () => {
      await opened.store.close();
      opened = await open();
      return opened;
    },
    close: async () => {
      await opened.store.close();
      const left = (await readdir(join(data_dir, 'chats'))).filter((name) => name.startsWith('.'));
      await rm(data_dir, { recursive: true, force: true });
      expect({ problems, left }).toEqual({ problems: [], left: [] });
    },
  };
});
