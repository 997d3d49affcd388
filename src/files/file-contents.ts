import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { AppError } from '../kernel/app-error.js';
import { FileCatalog } from './file-catalog.js';
import type { FileKey } from './file-catalog.js';
import { keyOf } from './file-key.js';
import { FileStoreReports } from './file-store-reports.js';
import { FileStore, filesUnavailable } from './file-store.js';
import type { ByteRange } from './file-store.js';

/** The bytes of files that have a row: where they are missing, the file is not deleted. */
@Injectable()
export class FileContents {
  constructor(
    private readonly catalog: FileCatalog,
    private readonly bytes: FileStore,
    private readonly reports: FileStoreReports,
    private readonly config: Config,
  ) {}

  /**
   * @throws AppError `file_not_found` (404) if the file was deleted meanwhile, else
   * `files_unavailable` (503)
   */
  async open(file: FileKey, range?: ByteRange): Promise<Readable> {
    try {
      return await this.bytes.get(keyOf(file), range);
    } catch (error) {
      if ((error as AppError).code !== 'file_not_found' || !(await this.isThere(file))) throw error;
      throw this.missing(file);
    }
  }

  /** @throws AppError `files_unavailable` (503) if the bytes of one are missing, and not deleted */
  async requireAll(files: readonly FileKey[]): Promise<void> {
    const found = await Promise.all(files.map((file) => this.bytes.exists(keyOf(file))));
    for (const [index, file] of files.entries())
      if (!found[index] && (await this.isThere(file))) throw this.missing(file);
  }

  /** The caller sees the file; an admin of its tenant does too. */
  private async isThere({ id, tenant_id }: FileKey): Promise<boolean> {
    const viewer = { tenant_id, user_id: '', is_admin: true };
    return (await this.catalog.find(id, viewer)) !== undefined;
  }

  private missing({ id }: FileKey): AppError {
    const { fileStore, filesDir, s3Bucket } = this.config;
    const place = fileStore === 'local' ? `FILES_DIR ${filesDir}` : `the bucket ${s3Bucket}`;
    const message = `${id} was not deleted, and its bytes are not in ${place}: is it the place that has the files?`;
    this.reports.failed('missing', { message });
    return filesUnavailable(`the bytes of ${id} are missing`, undefined);
  }
}
