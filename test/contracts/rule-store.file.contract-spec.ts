import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newChatRow } from '../../src/persistence/interaction-rules.js';
import type { ChatRow } from '../../src/persistence/rows/chat-rows.js';
import { FileRuleStore } from '../../src/storage/file/file-rule-store.js';
import { ruleStoreContract } from './rule-store.contract.js';

ruleStoreContract(FileRuleStore.name, async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'parley-rules-'));
  const chats = new Map<string, ChatRow>();
  const findChat = (uid: string) => chats.get(uid);
  let store = await FileRuleStore.open({ data_dir, findChat });
  return {
    store,
    makeChat: async (chat) => void chats.set(chat.uid, newChatRow(chat)),
    deleteChat: async (uid) => void chats.delete(uid),
    reopen: async () => {
      await store.close();
      store = await FileRuleStore.open({ data_dir, findChat });
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
          FileRuleStore.open({ data_dir, findChat: () => undefined }),
        ).rejects.toMatchObject({
          code: 'rules_damaged',
        });
      } finally {
        await rm(data_dir, { recursive: true, force: true });
      }
    },
  );
});
