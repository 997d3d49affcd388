import { readEnvironment } from './environment.js';

describe(readEnvironment.name, () => {
  it.each([
    [{ LANG: 'en_US.UTF-8' }, true],
    [{ LANG: 'C.utf8' }, true],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, false],
    [{ LANG: 'C', LC_CTYPE: 'C.UTF-8' }, true],
    [{ LANG: 'de_DE.ISO-8859-1' }, false],
    [{}, false],
  ])('reads from the locale %j whether signs may be Unicode', (variables, isUnicode) => {
    expect(readEnvironment(variables)).toMatchObject({ isUnicode });
  });

  it.each([
    [{ TERM: 'xterm-256color' }, { hasColor: true, isDumb: false }],
    [
      { TERM: 'xterm-256color', NO_COLOR: '1' },
      { hasColor: false, isDumb: false },
    ],
    [
      { TERM: 'xterm-256color', NO_COLOR: '' },
      { hasColor: true, isDumb: false },
    ],
    [{ TERM: 'dumb' }, { hasColor: false, isDumb: true }],
  ])('reads from %j whether there are colours and a footer', (variables, abilities) => {
    expect(readEnvironment(variables)).toMatchObject(abilities);
  });
});
