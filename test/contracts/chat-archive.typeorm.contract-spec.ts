import { TypeOrmChatArchive } from '../../src/storage/typeorm/archive/typeorm-chat-archive.js';
import { TypeOrmFileCatalog } from '../../src/storage/typeorm/stores/typeorm-file-catalog.js';
import { typeOrmStore } from '../support/store/typeorm-store.js';
import type { Database } from '../../src/storage/typeorm/connection/database.js';
import { DATABASES } from '../support/store/database-kinds.js';
import type { TestDatabase } from '../support/store/databases.js';
import { chatArchiveContract } from './chat-archive.contract.js';
import { skipContract } from '../support/skip-contract.js';

for (const { name, fault, open } of DATABASES) {
  const title = `${TypeOrmChatArchive.name} on ${name}`;
  if (fault) skipContract(title, fault);
  else chatArchiveContract(title, () => opened(open));
}

async function opened(open: () => Promise<TestDatabase>) {
  const tested = await open();
  return {
    ...on(tested.database),
    reopen: async () => on(await tested.reopen()),
    close: () => tested.close(),
  };
}

function on(database: Database) {
  return {
    store: typeOrmStore(database),
    archive: new TypeOrmChatArchive(database),
    files: new TypeOrmFileCatalog(database),
  };
}
