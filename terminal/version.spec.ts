import { adviceFor, isOlder } from './version.js';

describe(isOlder.name, () => {
  it.each([
    ['0.1.0', '0.1.0', false],
    ['0.0.9', '0.1.0', true],
    ['0.9.0', '0.10.0', true],
    ['1.0.0', '0.10.0', false],
    ['1.2.3-beta.1', '1.2.4', true],
    ['unknown', '0.1.0', false],
  ])('%s, %s: %s', (version, than, expected) => {
    expect(isOlder(version, than)).toBe(expected);
  });
});

describe(adviceFor.name, () => {
  it('says what to do about a server that is too old, and nothing about others', () => {
    expect(adviceFor('0.0.1')).toContain('Update the server');
    expect(adviceFor('99.0.0')).toBeUndefined();
    expect(adviceFor(undefined)).toBeUndefined();
  });
});
