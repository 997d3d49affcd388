import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WrappedKey } from '../../encryption/data-key-store.js';
import { AppError } from '../../kernel/app-error.js';
import { TenantKeys } from '../memory/memory-data-key-store.js';
import { replaceDurably, syncDirectory, TEMPORARY_SUFFIX } from './durable-files.js';
import { describeError } from './report-problem.js';

const FILE_NAME = 'tenant-keys.json';

/** The wrapped keys of tenants in one file, `tenant-keys.json`. */
export class FileTenantKeys extends TenantKeys {
  private constructor(
    private readonly folder: string,
    protected override keys: ReadonlyMap<string, WrappedKey>,
  ) {
    super();
  }

  /** @throws AppError `keys_damaged`: without its key, what a tenant has saved can't be read */
  static async open(data_dir: string): Promise<FileTenantKeys> {
    const path = join(data_dir, FILE_NAME);
    await rm(path + TEMPORARY_SUFFIX, { force: true });
    return new FileTenantKeys(data_dir, await load(path));
  }

  /** Changes memory only after the change is on the disk. */
  override async set(tenantId: string, key: WrappedKey): Promise<void> {
    const keys = { ...Object.fromEntries(this.keys), [tenantId]: key };
    await replaceDurably(join(this.folder, FILE_NAME), `${JSON.stringify({ keys }, null, 2)}\n`);
    await syncDirectory(this.folder);
    await super.set(tenantId, key);
  }
}

async function load(path: string): Promise<ReadonlyMap<string, WrappedKey>> {
  try {
    const saved = JSON.parse(await readFile(path, 'utf8')) as { keys: Record<string, WrappedKey> };
    return new Map(Object.entries(saved.keys));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    const message = `The keys of tenants in ${path} can't be read: ${describeError(cause)}. Restore the file from a backup.`;
    throw new AppError('internal', 'keys_damaged', message, { cause });
  }
}
