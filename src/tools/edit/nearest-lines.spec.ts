import { expectLinear } from '../../../test/support/growth.js';
import { nearestLines } from './nearest-lines.js';

const CODE = `function add(a, b) {
  return a + b;
}

function subtract(a, b) {
\treturn a - b;
}
`;

describe(nearestLines.name, () => {
  it('finds what differs in white space only', () => {
    expect(nearestLines(CODE, 'function subtract(a, b) {\n  return a - b;\n}\n')).toEqual([
      {
        first: 5,
        lines: ['function subtract(a, b) {', '\treturn a - b;', '}'],
        is_spaced: true,
      },
    ]);
  });

  it('finds what is most alike first', () => {
    const near = nearestLines(CODE, 'function add(a, c) {\n  return a + c;');
    expect(near.map(({ first, is_spaced }) => [first, is_spaced])).toEqual([
      [1, false],
      [5, false],
    ]);
  });

  it('finds a line in the middle of what was wanted, when its neighbours are new', () => {
    const [near] = nearestLines(CODE, '// Takes b away.\nfunction subtract(a, b) {\n');
    expect(near).toMatchObject({ first: 4, lines: ['', 'function subtract(a, b) {'] });
  });

  it('finds nothing where nothing is alike', () => {
    expect(nearestLines(CODE, 'Lorem ipsum dolor')).toEqual([]);
    expect(nearestLines('', 'x')).toEqual([]);
    expect(nearestLines(CODE, '\n')).toEqual([]);
  });

  it('answers three at most, which do not overlap', () => {
    const near = nearestLines('a b c\n'.repeat(9), 'a b d\na b d');
    expect(near.map(({ first }) => first)).toEqual([1, 3, 5]);
  });

  it('looks at the beginning of what is very large', () => {
    const far = `${'x\n'.repeat(40_000)}the needle here\n`;
    expect(nearestLines(far, 'the needle there')).toMatchObject([{ first: 40_001 }]);
    expect(nearestLines('x\n'.repeat(20_000) + far, 'the needle there')).toEqual([]);
  });

  it('takes linear time for many lines of a large file', async () => {
    await expectLinear((size) => {
      const large = 'some words, of a line (that is) like = many; others\n'.repeat(size);
      const wanted = 'other words of a line\n'.repeat(size / 80);
      return () => nearestLines(large, wanted);
    }, 80_000);
  });

  it('takes linear time for very many empty lines', async () => {
    await expectLinear((size) => {
      const wanted = `${'\n'.repeat(size)}x`;
      return () => nearestLines(CODE, wanted);
    }, 400_000); // both sizes are lists that V8 keeps among its large objects
  });
});
