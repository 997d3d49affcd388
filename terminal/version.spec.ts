import { adviceFor } from './version.js';

describe(adviceFor.name, () => {
  it('says what to do about a server that is too old, and nothing about others', () => {
    expect(adviceFor('0.0.1')).toContain('Update the server');
    expect(adviceFor('99.0.0')).toBeUndefined();
    expect(adviceFor(undefined)).toBeUndefined();
  });
});
