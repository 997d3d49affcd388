import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EncryptedFileStore } from '../../src/files/encrypted/encrypted-file-store.js';
import type { FileStore } from '../../src/files/file-store.js';
import { LocalFileStore } from '../../src/files/local/local-file-store.js';
import { loadConfig } from '../../src/config/load-config.js';
import { S3FileStore } from '../../src/files/s3/s3-file-store.js';
import { findS3Fault, S3Server } from '../support/store/s3-server.js';
import { dataKeys } from '../support/store/encrypted.js';
import { fileStoreContract } from './file-store.contract.js';
import { skipContract } from '../support/skip-contract.js';

for (const wrap of [plain, withKeys])
  fileStoreContract(`${wrap.name} a folder`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-files-'));
    return {
      store: wrap(new LocalFileStore(join(folder, 'files'))),
      close: () => rm(folder, { recursive: true, force: true }),
    };
  });

const fault = findS3Fault();
if (fault) skipContract('S3', fault);
else
  for (const wrap of [plain, withKeys])
    fileStoreContract(`${wrap.name} S3`, async () => {
      const server = await S3Server.start();
      return { store: wrap(new S3FileStore(loadConfig(server.env))), close: () => server.remove() };
    });

function plain(store: FileStore): FileStore {
  return store;
}

function withKeys(store: FileStore): FileStore {
  return new EncryptedFileStore(store, dataKeys());
}
