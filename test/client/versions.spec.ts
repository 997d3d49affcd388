import { isOutdated, OLDEST_SERVER } from '../../client/index.js';

describe(isOutdated.name, () => {
  it.each([
    ['0.1.0', '0.1.0', false],
    ['0.0.9', '0.1.0', true],
    ['0.9.0', '0.10.0', true],
    ['1.0.0', '0.10.0', false],
    ['1.2.3-beta.1', '1.2.4', true],
    ['unknown', '0.1.0', false],
    [undefined, '0.1.0', false],
  ])('%s, where %s is needed: %s', (version, oldest, expected) => {
    expect(isOutdated(version, oldest)).toBe(expected);
  });

  it('compares with what the client itself needs, unless told otherwise', () => {
    expect(isOutdated('0.0.1')).toBe(true);
    expect(isOutdated(OLDEST_SERVER)).toBe(false);
  });
});
