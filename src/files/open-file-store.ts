import { join } from 'node:path';
import type { Config } from '../config/config.js';
import type { FileStore } from './file-store.js';
import { LocalFileStore } from './local/local-file-store.js';

/** The place of bytes as it is configured, not encrypted. The S3 client is loaded only for S3. */
export async function openFileStore(config: Config): Promise<FileStore> {
  if (config.fileStore === 'local') return new LocalFileStore(join(config.dataDir, 'files'));
  const { S3FileStore } = await import('./s3/s3-file-store.js');
  return new S3FileStore(config);
}
