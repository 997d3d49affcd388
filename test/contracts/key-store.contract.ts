import { randomBytes, randomUUID } from 'node:crypto';
import type { ApiKey, KeyStore } from '../../src/auth/keys/key-store.js';

export interface OpenedKeyStore {
  /** The newest; `reopen` replaces it. */
  readonly keys: KeyStore;
  /** Closes the store and opens it again, as a restarted process would. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

const LIMIT = 1000;
let made = 0;

/** Younger than those before it, and of a tenant of its own unless told otherwise. */
function key(more: Partial<ApiKey> = {}): ApiKey {
  made++;
  return {
    id: randomBytes(12).toString('hex'),
    tenant_id: `t-${randomUUID()}`,
    user_id: 'ann',
    scopes: ['chat', 'decide'],
    secret_hash: randomBytes(32).toString('hex'),
    created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, 0, made)).toISOString(),
    expires_at: null,
    created_by: 'admin',
    ...more,
  };
}

/**
 * The behaviour of every `KeyStore`. The store is opened once; every test uses tenants of its own.
 */
export function keyStoreContract(name: string, open: () => Promise<OpenedKeyStore>): void {
  describe(`${name} as a KeyStore`, () => {
    let opened: OpenedKeyStore;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    it('gives keys back as they were added, across a restart', async () => {
      const full = key({ user_id: 'Ann Ünder 🦜', expires_at: '2030-01-01T00:00:00.000Z' });
      const other = key();
      expect(await opened.keys.add(full, LIMIT)).toBe(true);
      expect(await opened.keys.add(other, LIMIT)).toBe(true);
      await opened.reopen();
      expect(await opened.keys.find([full.id])).toEqual([full]);
      expect(await opened.keys.find(['none', other.id, full.id])).toHaveLength(2);
      expect(await opened.keys.find(['none'])).toEqual([]);
      expect(await opened.keys.find([])).toEqual([]);
    });

    it('is not empty while a tenant has a key', async () => {
      const only = key();
      await opened.keys.add(only, LIMIT);
      expect(await opened.keys.isEmpty()).toBe(false);
    });

    it('adds no key twice', async () => {
      const first = key();
      await opened.keys.add(first, LIMIT);
      expect(await opened.keys.add({ ...first, user_id: 'bob' }, LIMIT)).toBe(false);
      expect(await opened.keys.find([first.id])).toEqual([first]);
    });

    it('holds as many keys of a tenant as the limit says, whoever adds them at once', async () => {
      const { tenant_id } = key();
      const adding = Array.from({ length: 8 }, () => opened.keys.add(key({ tenant_id }), 3));
      expect((await Promise.all(adding)).filter(Boolean)).toHaveLength(3);
      expect(await opened.keys.list({ tenant_id, limit: 9 })).toHaveLength(3);
      expect(await opened.keys.add(key(), 3)).toBe(true);
    });

    it('pages through the keys of a tenant, oldest first', async () => {
      const { tenant_id } = key();
      const created_at = '2026-02-01T00:00:00.000Z';
      const own = [key({ tenant_id }), key({ tenant_id })];
      const same = ['a', 'b'].map((id) => key({ tenant_id, id: tenant_id + id, created_at }));
      for (const each of [...same.toReversed(), ...own, key()]) await opened.keys.add(each, LIMIT);
      const first = await opened.keys.list({ tenant_id, limit: 3 });
      expect(first).toEqual([...own, same[0]]);
      const after = first.at(-1)!;
      expect(await opened.keys.list({ tenant_id, limit: 3, after })).toEqual([same[1]]);
    });

    it('removes a key and names its tenant, but removes none of another tenant', async () => {
      const gone = key();
      await opened.keys.add(gone, LIMIT);
      expect(await opened.keys.remove(gone.id, 'another')).toBeUndefined();
      expect(await opened.keys.find([gone.id])).toEqual([gone]);
      expect(await opened.keys.remove(gone.id, gone.tenant_id)).toBe(gone.tenant_id);
      expect(await opened.keys.remove(gone.id)).toBeUndefined();
      await opened.reopen();
      expect(await opened.keys.find([gone.id])).toEqual([]);
    });
  });
}
