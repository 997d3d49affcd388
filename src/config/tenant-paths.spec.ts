import { isUnderRoots } from './tenant-paths.js';

describe(isUnderRoots.name, () => {
  const ROOTS = ['/srv/{tenant}/open', '/shared'];

  it.each(['/srv/acme/open', '/srv/acme/open/a/', '/shared/a/../b'])('takes %s', (path) => {
    expect(isUnderRoots(path, ROOTS, 'acme')).toBe(true);
  });

  it.each([
    ...['/etc', '/', '../..', 'open', '', '/shared/../etc', '/shared2', '/shared/\0'],
    ...['/srv/acme', '/srv/evil/open', '/srv/{tenant}/open'],
  ])('refuses %j', (path) => {
    expect(isUnderRoots(path, ROOTS, 'acme')).toBe(false);
    expect(isUnderRoots(path, [], 'acme')).toBe(false);
  });
});
