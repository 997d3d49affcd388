import { ifMissing } from './missing-path.js';

describe(ifMissing.name, () => {
  it('gives the value for a path that does not exist', async () => {
    const error = Object.assign(new Error('no such file'), { code: 'ENOENT' });
    expect(await Promise.reject(error).catch(ifMissing('none'))).toBe('none');
  });

  it('throws other errors as they are', async () => {
    const error = Object.assign(new Error('permission denied'), { code: 'EACCES' });
    await expect(Promise.reject(error).catch(ifMissing('none'))).rejects.toBe(error);
  });
});
