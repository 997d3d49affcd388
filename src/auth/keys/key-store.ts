import type { Scope } from '../principal.js';

/** A saved API key; of its secret only the hash. */
export interface ApiKey {
  readonly id: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the secret, in hex. */
  readonly secret_hash: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly expires_at: string | null;
  /** The user who made it. */
  readonly created_by: string;
}

/** Port: the API keys. A rejection means that the store is unavailable or broken. */
export abstract class KeyStore {
  /** Finds the keys with these ids, in any order; ids that do not exist are left out. */
  abstract find(ids: readonly string[]): Promise<ApiKey[]>;
  /** Oldest first, by creation time, then id; `after` is the last key of the previous page. */
  abstract list(page: {
    readonly tenant_id: string;
    readonly limit: number;
    readonly after?: Pick<ApiKey, 'created_at' | 'id'>;
  }): Promise<ApiKey[]>;
  /** True if no tenant has a key. */
  abstract isEmpty(): Promise<boolean>;
  /** Returns false and changes nothing if the id exists or the tenant has `limit` keys already. */
  abstract add(key: ApiKey, limit: number): Promise<boolean>;
  /** Returns the tenant of the key; undefined if it was not there, or not of the tenant given. */
  abstract remove(id: string, tenant_id?: string): Promise<string | undefined>;
}
