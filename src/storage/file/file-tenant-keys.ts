import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WrappedKey } from '../../encryption/data-key-store.js';
import { AppError } from '../../kernel/app-error.js';
import { TenantKeys } from '../memory/memory-data-key-store.js';
import { TEMPORARY_SUFFIX } from './durable-files.js';
import { readJson, replaceJson } from './json-files.js';
import { describeError } from './report-problem.js';

const FILE_NAME = 'tenant-keys.json';

/** The wrapped keys of tenants in one file, `tenant-keys.json`. */
export class FileTenantKeys extends TenantKeys {
  private constructor(
    private readonly path: string,
    protected override keys: ReadonlyMap<string, WrappedKey>,
  ) {
    super();
  }

  /** @throws AppError `keys_damaged`: without its key, what a tenant has saved can't be read */
  static async open(data_dir: string): Promise<FileTenantKeys> {
    const path = join(data_dir, FILE_NAME);
    await rm(path + TEMPORARY_SUFFIX, { force: true });
    return new FileTenantKeys(path, await load(path));
  }

  /** Changes memory only after the change is on the disk. */
  override async set(tenantId: string, key: WrappedKey): Promise<void> {
    const keys = { ...Object.fromEntries(this.keys), [tenantId]: key };
    await replaceJson(this.path, { keys });
    await super.set(tenantId, key);
  }
}

async function load(path: string): Promise<ReadonlyMap<string, WrappedKey>> {
  try {
    const saved = await readJson<{ keys: Record<string, WrappedKey> }>(path, { keys: {} });
    return new Map(Object.entries(saved.keys));
  } catch (cause) {
    const message = `The keys of tenants in ${path} can't be read: ${describeError(cause)}. Restore the file from a backup.`;
    throw new AppError('internal', 'keys_damaged', message, { cause });
  }
}
