import { randomBytes } from 'node:crypto';
import type { MasterKey } from '../config/secrets/master-key.js';
import { Secret } from '../config/secrets/secret.js';
import type { OwnedKey } from './data-key-store.js';
import { MasterKeys } from './master-keys.js';

const K1 = masterKey('k1');
const K2 = masterKey('k2');
const OWNER = { tenant_id: 'acme', chat_uid: 'chat-1' };

function masterKey(id: string): MasterKey {
  return { id, secret: new Secret(randomBytes(32).toString('base64')) };
}

describe(MasterKeys.name, () => {
  it('unwraps what the first key wrapped, wherever that key is now', () => {
    const { key, wrapped } = new MasterKeys([K1]).make(OWNER);
    expect(wrapped.master_key_id).toBe('k1');
    const sealed = key.seal('x', []);
    for (const masters of [new MasterKeys([K1]), new MasterKeys([K2, K1])])
      expect(masters.unwrap({ ...OWNER, ...wrapped }).open(sealed, [])).toBe('x');
  });

  it('wraps the same key again with the first one', () => {
    const { key, wrapped } = new MasterKeys([K1]).make(OWNER);
    const again = new MasterKeys([K2, K1]).rewrap({ ...OWNER, ...wrapped });
    expect(again.master_key_id).toBe('k2');
    const unwrapped = new MasterKeys([K2]).unwrap({ ...OWNER, ...again });
    expect(unwrapped.open(key.seal('x', []), [])).toBe('x');
  });

  it('names a key that is missing, or another one of the same id, and shows none', () => {
    const { wrapped } = new MasterKeys([K1]).make(OWNER);
    const owned: OwnedKey = { ...OWNER, ...wrapped };
    expect(() => new MasterKeys([K2]).unwrap(owned)).toThrow('ENCRYPTION_KEYS lacks the key "k1"');
    const wrong = masterKey('k1');
    expect(() => new MasterKeys([wrong]).unwrap(owned)).toThrow('the key "k1" is not the one');
  });

  it('unwraps a key for its owner only', () => {
    const masters = new MasterKeys([K1]);
    const { wrapped } = masters.make(OWNER);
    for (const owner of [
      { ...OWNER, tenant_id: 'other' },
      { ...OWNER, chat_uid: 'chat-2' },
      { ...OWNER, chat_uid: null },
    ])
      expect(() => masters.unwrap({ ...owner, ...wrapped })).toThrow('the key "k1" is not the one');
  });
});
