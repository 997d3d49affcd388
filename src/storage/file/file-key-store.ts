import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiKey } from '../../auth/keys/key-store.js';
import { KeyStore } from '../../auth/keys/key-store.js';
import { AppError } from '../../kernel/app-error.js';
import { KeyedMutex } from '../../kernel/async/keyed-mutex.js';
import { compareKeys } from '../memory/core/store-index.js';
import { TEMPORARY_SUFFIX } from './durable-files.js';
import { readJson, replaceJson } from './json-files.js';
import { describeError } from './report-problem.js';

const FILE_NAME = 'api-keys.json';

/** API keys in one human-readable file, `api-keys.json`. For a single process. */
export class FileKeyStore extends KeyStore {
  private readonly mutex = new KeyedMutex();

  private constructor(
    private readonly path: string,
    private keys: ReadonlyMap<string, ApiKey>,
  ) {
    super();
  }

  /** @throws AppError `keys_damaged`: an operator may rely on a key that is in the file */
  static async open(data_dir: string): Promise<FileKeyStore> {
    const path = join(data_dir, FILE_NAME);
    await rm(path + TEMPORARY_SUFFIX, { force: true });
    return new FileKeyStore(path, byId(await load(path)));
  }

  /** Resolves once everything is on the disk. */
  close(): Promise<void> {
    return this.mutex.idle();
  }

  async find(ids: readonly string[]): Promise<ApiKey[]> {
    return ids.flatMap((id) => this.keys.get(id) ?? []);
  }

  async list({ tenant_id, limit, after }: Parameters<KeyStore['list']>[0]): Promise<ApiKey[]> {
    const own = this.ofTenant(tenant_id).toSorted(compareKeys);
    return own.filter((key) => !after || compareKeys(key, after) > 0).slice(0, limit);
  }

  async isEmpty(): Promise<boolean> {
    return this.keys.size === 0;
  }

  add(key: ApiKey, limit: number): Promise<boolean> {
    return this.change(() => {
      if (this.keys.has(key.id) || this.ofTenant(key.tenant_id).length >= limit) return undefined;
      return [...this.keys.values(), key];
    });
  }

  async remove(id: string, tenant_id?: string): Promise<string | undefined> {
    let removed: ApiKey | undefined;
    await this.change(() => {
      const key = this.keys.get(id);
      if (!key || (tenant_id !== undefined && key.tenant_id !== tenant_id)) return undefined;
      removed = key;
      return [...this.keys.values()].filter((each) => each !== key);
    });
    return removed?.tenant_id;
  }

  private ofTenant(tenant_id: string): ApiKey[] {
    return [...this.keys.values()].filter((key) => key.tenant_id === tenant_id);
  }

  /** Changes memory only after the change is on the disk. Returns true if there was a change. */
  private change(work: () => readonly ApiKey[] | undefined): Promise<boolean> {
    return this.mutex.run('keys', async () => {
      const keys = work();
      if (!keys) return false;
      await replaceJson(this.path, { keys });
      this.keys = byId(keys);
      return true;
    });
  }
}

function byId(keys: readonly ApiKey[]): ReadonlyMap<string, ApiKey> {
  return new Map(keys.map((key) => [key.id, key]));
}

async function load(path: string): Promise<readonly ApiKey[]> {
  try {
    return [...(await readJson<{ keys: readonly ApiKey[] }>(path, { keys: [] })).keys];
  } catch (cause) {
    throw new AppError(
      'internal',
      'keys_damaged',
      `The API keys in ${path} can't be read: ${describeError(cause)}. Fix the file, or move it away to start without keys.`,
      { cause },
    );
  }
}
