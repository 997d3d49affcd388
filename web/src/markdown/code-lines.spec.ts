import { areAlike, linesOf } from './code-lines';

const comment = (...children: string[]) => ({ className: 'hljs-comment', children });

describe('linesOf', () => {
  it('has the lines of a text, also empty ones', () => {
    expect(linesOf(['a\n\nb'])).toEqual([['a'], [''], ['b']]);
    expect(linesOf([])).toEqual([[]]);
  });

  it('goes on in a line, and begins as many as a part has', () => {
    expect(linesOf(['let ', comment('/* one\ntwo */'), ' = 1\n'])).toEqual([
      ['let ', comment('/* one')],
      [comment('two */'), ' = 1'],
      [''],
    ]);
  });
});

describe('areAlike', () => {
  it('compares texts and classes at any depth', () => {
    const of = (text: string, className: string) => linesOf([{ className, children: [text] }]);
    expect(areAlike(of('a', 'x'), of('a', 'x'))).toBe(true);
    expect(areAlike(of('a', 'x'), of('b', 'x'))).toBe(false);
    expect(areAlike(of('a', 'x'), of('a', 'y'))).toBe(false);
    expect(areAlike(of('a', 'x'), of('a\nb', 'x'))).toBe(false);
    expect(areAlike(linesOf(['a']), of('a', 'x'))).toBe(false);
  });
});
