import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { FlattenedJWSInput } from 'jose';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { KeySet } from './key-set.js';

const TOKEN = {} as FlattenedJWSInput;

describe(KeySet.name, () => {
  it('logs an outage of the issuer once, and at most once a minute', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    let isUp = false;
    const clock = new FakeClock();
    const keys = new KeySet(async () => {
      if (isUp) return { keys: [] };
      throw new Error('refused');
    }, clock);
    const ask = async (state: 'up' | 'down') => {
      isUp = state === 'up';
      clock.pass(1_000);
      await expect(keys.getKey({ alg: 'RS256' }, TOKEN)).rejects.toThrow(/./);
    };
    for (let n = 0; n < 3; n++) await ask('down'); // no key is known yet
    expect(warn).toHaveBeenCalledTimes(1);
    expect(keys.awaySince).toBeDefined();
    await ask('up');
    expect(keys.awaySince).toBeUndefined();
    clock.pass(600_000);
    await ask('down');
    expect(warn).toHaveBeenCalledTimes(2);
    jest.restoreAllMocks();
  });
});
