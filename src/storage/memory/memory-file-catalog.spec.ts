import { Gate } from '../../../test/support/gate.js';
import { LOCAL } from '../../../test/support/store/chat-parts.js';
import type { FileRow } from '../../files/file-catalog.js';
import { StoreIndex } from './core/store-index.js';
import { MemoryFileCatalog } from './memory-file-catalog.js';

const ROW: FileRow = {
  ...{ id: 'file_1', tenant_id: LOCAL.tenant_id, owner: LOCAL.user_id, chat_id: null },
  ...{ chat_uid: null, filename: 'a.txt', mime_type: 'text/plain', size_bytes: 1, sha256: '' },
  created_at: '2026-01-01T00:00:00.000Z',
};

describe(MemoryFileCatalog.name, () => {
  it('gives a deleted file to the purge when that is saved, since a kill would undo it', async () => {
    const gate = new Gate();
    const journal = { save: () => gate.pass(), erase: async () => {}, has: () => false };
    const catalog = new MemoryFileCatalog({ chats: new StoreIndex(), rows: [ROW], journal });
    const deleting = catalog.delete(ROW.id, LOCAL);
    expect(await catalog.find(ROW.id, LOCAL)).toBeUndefined();
    expect(await catalog.listDeleted({ limit: 1 })).toEqual([]);
    gate.open();
    await deleting;
    expect((await catalog.listDeleted({ limit: 1 })).map(({ id }) => id)).toEqual([ROW.id]);
  });
});
