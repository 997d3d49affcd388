import { createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { AppError } from '../kernel/app-error.js';
import { BoundedMap } from '../kernel/bounded-map.js';
import type { MasterKey } from '../config/secrets/master-key.js';
import { DataKey, decrypt, encrypt } from './data-key.js';
import type { KeyOwner, OwnedKey, WrappedKey } from './data-key-store.js';

const KEY_BYTES = 32;
/** Derived keys that are kept in memory. */
const CACHE_SIZE = 2_000;

const OF_TENANT = 'tenant:';
const LIVE = 'live:';

/** The id of the data key of a tenant; that of a chat is its uid. */
export function tenantKeyId(tenantId: string): string {
  return `${OF_TENANT}${tenantId}`;
}

/** Undefined for the key of a chat. */
export function tenantOfKey(id: string): string | undefined {
  return id.startsWith(OF_TENANT) ? id.slice(OF_TENANT.length) : undefined;
}

/** Wraps data keys with a key that is derived from a master key and the tenant. */
export class MasterKeys {
  private readonly derived = new BoundedMap<string, KeyObject>(CACHE_SIZE);

  /** @param keys the first one wraps, all unwrap */
  constructor(private readonly keys: readonly [MasterKey, ...MasterKey[]]) {}

  /** The id of the key that wraps. */
  get current(): string {
    return this.keys[0].id;
  }

  has(id: string): boolean {
    return this.keys.some((key) => key.id === id);
  }

  /** A new data key, and its saved form. */
  make(owner: KeyOwner): { readonly key: DataKey; readonly wrapped: WrappedKey } {
    const bytes = randomBytes(KEY_BYTES);
    return { key: toDataKey(owner, bytes), wrapped: this.wrap(owner, bytes) };
  }

  /** @throws AppError `encryption_key_missing`, `encryption_key_wrong`, which name the key's id */
  unwrap(owned: OwnedKey): DataKey {
    return toDataKey(owned, this.unwrapped(owned));
  }

  /** The same data key, wrapped with the first master key. */
  rewrap(owned: OwnedKey): WrappedKey {
    return this.wrap(owned, this.unwrapped(owned));
  }

  /**
   * The key of what an interaction streams, which is saved nowhere.
   * @param keyId what a sealed text names; undefined: of the first master key
   * @throws AppError `encryption_key_missing`
   */
  live(interactionId: string, keyId = LIVE + this.current): DataKey {
    const master = this.get(keyId.slice(LIVE.length));
    return new DataKey(LIVE + master.id, this.derive(master, `live ${interactionId}`));
  }

  private wrap(owner: KeyOwner, bytes: Buffer): WrappedKey {
    const wrapped = encrypt(this.derive(this.keys[0], ofTenant(owner)), bytes, contextOf(owner));
    return { master_key_id: this.current, wrapped: wrapped.toString('base64') };
  }

  private unwrapped({ master_key_id, wrapped, ...owner }: OwnedKey): Buffer {
    const derived = this.derive(this.get(master_key_id), ofTenant(owner));
    try {
      return decrypt(derived, Buffer.from(wrapped, 'base64'), contextOf(owner));
    } catch (cause) {
      throw wrongKey(master_key_id, cause);
    }
  }

  private get(id: string): MasterKey {
    const master = this.keys.find((key) => key.id === id);
    if (!master) throw missingKey(id);
    return master;
  }

  private derive({ id, secret }: MasterKey, use: string): KeyObject {
    const name = `${id}\n${use}`;
    const known = this.derived.get(name);
    if (known) return known;
    const master = Buffer.from(secret.reveal(), 'base64');
    const bytes = hkdfSync('sha256', master, '', `parley ${use}`, KEY_BYTES);
    const derived = createSecretKey(Buffer.from(bytes));
    this.derived.set(name, derived);
    return derived;
  }
}

function ofTenant({ tenant_id }: KeyOwner): string {
  return `tenant ${tenant_id}`;
}

function missingKey(id: string): AppError {
  const message = `ENCRYPTION_KEYS lacks the key "${id}", with which saved data is encrypted. Add it; it may be after the first.`;
  return new AppError('internal', 'encryption_key_missing', message);
}

function wrongKey(id: string, cause: unknown): AppError {
  const message = `ENCRYPTION_KEYS: the key "${id}" is not the one with which saved data is encrypted. Set the former key of that id, and give a new key a new id.`;
  return new AppError('internal', 'encryption_key_wrong', message, { cause });
}

function toDataKey({ tenant_id, chat_uid }: KeyOwner, bytes: Buffer): DataKey {
  return new DataKey(chat_uid ?? tenantKeyId(tenant_id), createSecretKey(bytes));
}

function contextOf({ tenant_id, chat_uid }: KeyOwner): Buffer {
  return Buffer.from(['data key', tenant_id, chat_uid ?? ''].join('\n'));
}
