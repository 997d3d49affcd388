import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { loadConfig } from '../../config/load-config.js';
import { ApiKeys } from './api-keys.js';
import { KeyStore } from './key-store.js';
import type { ApiKey } from './key-store.js';
import { newKey } from './new-key.js';
import { makeKey } from './key-text.js';

/** Notes each query, and answers when it is let go. */
class SlowKeyStore extends KeyStore {
  readonly queries: (readonly string[])[] = [];
  readonly keys = new Map<string, ApiKey>();
  private waiting: (() => void)[] = [];
  fault: Error | undefined;

  async find(ids: readonly string[]): Promise<ApiKey[]> {
    this.queries.push(ids);
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.fault) throw this.fault;
    return ids.flatMap((id) => this.keys.get(id) ?? []);
  }

  async letGo(): Promise<void> {
    for (const resolve of this.waiting.splice(0)) resolve();
    await new Promise(setImmediate);
  }

  list = async () => [];
  isEmpty = async () => this.keys.size === 0;
  add = async () => false;
  remove = async () => undefined;
}

function setUp() {
  const [store, clock] = [new SlowKeyStore(), new FakeClock()];
  const keys = new ApiKeys(store, clock, loadConfig({ AUTH: 'keys' }));
  const add = () => {
    const wanted = {
      tenant_id: 'acme',
      user_id: 'ann',
      scopes: ['admin'],
      expires_at: null,
    } as const;
    const { key, text } = newKey(wanted, { now: clock.now(), created_by: 'admin' });
    store.keys.set(key.id, key);
    return { key, text };
  };
  return { store, clock, keys, add };
}

describe(ApiKeys.name, () => {
  it('asks the store once a second for each key', async () => {
    const { store, clock, keys, add } = setUp();
    const { text } = add();
    const first = Promise.all([keys.authenticate(text), keys.authenticate(text)]);
    for (let n = 0; n < 2; n++) await store.letGo();
    expect((await first)[0]).toMatchObject({ tenant_id: 'acme', user_id: 'ann' });
    const { length } = store.queries;
    clock.pass(999);
    await keys.authenticate(text);
    expect(store.queries).toHaveLength(length);
    clock.pass(1);
    const later = keys.authenticate(text);
    await store.letGo();
    await later;
    expect(store.queries).toHaveLength(length + 1);
  });

  it('asks for many made-up keys with one query at a time', async () => {
    const { store, keys, add } = setUp();
    const asked = Array.from({ length: 700 }, () => keys.authenticate(makeKey().text));
    const real = keys.authenticate(add().text);
    const settled = Promise.allSettled(asked);
    expect(store.queries).toHaveLength(1);
    for (let n = 0; n < 3; n++) await store.letGo();
    expect(store.queries.map(({ length }) => length)).toEqual([1, 500, 200]);
    expect(await real).toHaveProperty('user_id', 'ann');
    const refused = (await settled).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(700);
  });

  it('lets nobody in while the store fails, and asks again', async () => {
    const { store, keys, add } = setUp();
    const { text } = add();
    store.fault = new Error('away');
    const [first] = await Promise.allSettled([keys.authenticate(text), store.letGo()]);
    expect(first).toMatchObject({ status: 'rejected', reason: store.fault });
    store.fault = undefined;
    const second = keys.authenticate(text);
    await store.letGo();
    expect((await second).scopes).toEqual(new Set(['admin', 'chat', 'decide']));
  });

  it('takes a key that it has seen for what is watched while the store fails', async () => {
    const { store, clock, keys, add } = setUp();
    const { key, text } = add();
    const seen = async () =>
      (await Promise.all([keys.authenticateWatcher(text), store.letGo()]))[0];
    await seen();
    store.fault = new Error('away');
    clock.pass(3_600_000);
    expect(await seen()).toHaveProperty('key_id', key.id);
    const wrong = `${text.slice(0, -4)}0000`;
    for (const refused of [
      keys.authenticateWatcher(wrong),
      keys.authenticateWatcher(add().text),
      keys.authenticate(text),
    ]) {
      const [{ status }] = await Promise.allSettled([refused, store.letGo()]);
      expect(status).toBe('rejected');
    }
    store.fault = undefined;
    store.keys.clear();
    const [deleted] = await Promise.allSettled([keys.authenticateWatcher(text), store.letGo()]);
    expect(deleted).toMatchObject({ reason: { code: 'invalid_credential' } });
    store.fault = new Error('away');
    clock.pass(1_000);
    const [still] = await Promise.allSettled([keys.authenticateWatcher(text), store.letGo()]);
    expect(still.status).toBe('rejected');
  });

  it.each([
    ['AUTH=keys without a key', { AUTH: 'keys' }, 1],
    ['ADMIN_KEY', { AUTH: 'keys', ADMIN_KEY: 'x'.repeat(32) }, 0],
    ['no authentication', { AUTH: 'none' }, 0],
  ])('warns at the start with %s', async (_name, env, warnings) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const store = new SlowKeyStore();
    const start = () =>
      new ApiKeys(store, new FakeClock(), loadConfig(env)).onApplicationBootstrap();
    await start();
    expect(warn).toHaveBeenCalledTimes(warnings);
    if (warnings > 0)
      expect(warn).toHaveBeenCalledWith(expect.stringContaining('npm run keys -- create'));
    store.keys.set('a', {} as ApiKey);
    await start();
    expect(warn).toHaveBeenCalledTimes(warnings);
    warn.mockRestore();
  });
});
