import type { Config } from '../config/config.js';
import type { FileCatalog } from './file-catalog.js';
import type { FileStore } from './file-store.js';
import { claimFolder } from './local/claim-folder.js';
import { LocalFileStore } from './local/local-file-store.js';

/**
 * The place of bytes as it is configured, not encrypted. The S3 client is loaded only for S3.
 * @throws AppError as `claimFolder`
 */
export async function openFileStore(config: Config, catalog: FileCatalog): Promise<FileStore> {
  const { fileStore, filesDir } = config;
  if (fileStore === 'local')
    return new LocalFileStore(filesDir, await claimFolder(filesDir, catalog));
  const { S3FileStore } = await import('./s3/s3-file-store.js');
  return new S3FileStore(config);
}
