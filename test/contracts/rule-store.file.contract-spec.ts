import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileRuleStore } from '../../src/storage/file/file-rule-store.js';
import { ruleStoreContract } from './rule-store.contract.js';

ruleStoreContract(FileRuleStore.name, async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'parley-rules-'));
  const uids = new Map<string, string>();
  const findUid = (id: string) => uids.get(id);
  let store = await FileRuleStore.open({ data_dir, findUid });
  return {
    store,
    makeChat: async (id) => void uids.set(id, randomUUID()),
    deleteChat: async (id) => void uids.delete(id),
    reopen: async () => {
      await store.close();
      store = await FileRuleStore.open({ data_dir, findUid });
      return store;
    },
    close: async () => {
      await store.close();
      await rm(data_dir, { recursive: true, force: true });
    },
  };
});

describe(FileRuleStore.name, () => {
  it.each(['', '{"rules": [', '{"rules": 1}', 'null'])(
    'does not go on without rules: %j',
    async (text) => {
      const data_dir = await mkdtemp(join(tmpdir(), 'parley-rules-'));
      try {
        await writeFile(join(data_dir, 'permission-rules.json'), text);
        await expect(
          FileRuleStore.open({ data_dir, findUid: () => undefined }),
        ).rejects.toMatchObject({
          code: 'rules_damaged',
        });
      } finally {
        await rm(data_dir, { recursive: true, force: true });
      }
    },
  );
});
