import { AppError } from '../../kernel/app-error.js';
import { isTransient } from './give-up.js';

const withCode = (code: unknown): Error => Object.assign(new Error('no'), { code });

describe(isTransient.name, () => {
  it.each(['ENOSPC', 'EIO', 'EMFILE', 'ECONNRESET', 'ETIMEDOUT', 'EAI_AGAIN'])(
    'tries %s again',
    (code) => {
      expect(isTransient(withCode(code))).toBe(true);
    },
  );

  it.each(['ENAMETOOLONG', 'EACCES', 'EPERM', 'ENOENT', 'ELOOP', 'EISDIR', 'ENEW', undefined, 7])(
    'gives up on %p, which stays',
    (code) => {
      expect(isTransient(withCode(code))).toBe(false);
    },
  );

  it('tries again what is unavailable, and nothing else', () => {
    expect(isTransient(new AppError('unavailable', 'store_unavailable', 'Away.'))).toBe(true);
    expect(isTransient(new AppError('internal', 'store_failed', 'No.'))).toBe(false);
    expect([null, undefined, 'ENOSPC', new TypeError()].map(isTransient)).toEqual(
      Array(4).fill(false),
    );
  });
});
