import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFileStore } from '../../src/files/local/local-file-store.js';
import { loadConfig } from '../../src/config/load-config.js';
import { S3FileStore } from '../../src/files/s3/s3-file-store.js';
import { findS3Fault, S3Server } from '../support/store/s3-server.js';
import { fileStoreContract } from './file-store.contract.js';

fileStoreContract('a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-files-'));
  return {
    store: new LocalFileStore(join(folder, 'files')),
    close: () => rm(folder, { recursive: true, force: true }),
  };
});

const fault = findS3Fault();
if (fault) describe.skip(`S3: ${fault}`, () => it('is skipped', () => {}));
else
  fileStoreContract('S3', async () => {
    const server = await S3Server.start();
    return { store: new S3FileStore(loadConfig(server.env)), close: () => server.remove() };
  });
