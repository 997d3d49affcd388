import { AppError } from '../../../kernel/app-error.js';
import { isAway, isConnectionLost, toStoreError } from './store-error.js';

const withCode = (code: string) => Object.assign(new Error('it failed'), { code });

describe(toStoreError.name, () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', '08006', '57P01', '53300', '25006', '55P03'])(
    'calls the store unavailable after %s, and keeps the cause',
    (code) => {
      const cause = withCode(code);
      const error = toStoreError(cause);
      expect(error).toMatchObject({ kind: 'unavailable', code: 'store_unavailable', cause });
      expect(isAway(error)).toBe(true);
    },
  );

  it.each(['Connection terminated unexpectedly', 'Query read timeout'])(
    'calls the store unavailable after “%s”',
    (message) => expect(toStoreError(new Error(message)).code).toBe('store_unavailable'),
  );

  it.each(['42601', '23505', '22P02', '28P01', '3D000'])('blames %s on the statement', (code) => {
    expect(toStoreError(withCode(code))).toMatchObject({ kind: 'internal', code: 'store_failed' });
    expect(isAway(withCode(code))).toBe(false);
  });

  it('does not take a file that is missing for a socket that is', () => {
    const missing = { code: 'ENOENT', path: '/x' };
    for (const syscall of ['connect', 'open']) {
      const error = Object.assign(new Error('it is missing'), { ...missing, syscall });
      expect([isAway(error), isConnectionLost(error)]).toEqual(
        Array(2).fill(syscall === 'connect'),
      );
    }
  });

  it('leaves an error of our own as it is', () => {
    const error = new AppError('internal', 'transaction_waits_for_itself', 'It waits.');
    expect(toStoreError(error)).toBe(error);
  });
});

describe(isConnectionLost.name, () => {
  it.each(['ECONNRESET', 'ETIMEDOUT', '57P01', '08006'])('is so after %s', (code) => {
    expect(isConnectionLost(withCode(code))).toBe(true);
  });

  it.each(['53100', '25006', '55P03', '23505'])('is not so after %s', (code) => {
    expect(isConnectionLost(withCode(code))).toBe(false);
  });
});
