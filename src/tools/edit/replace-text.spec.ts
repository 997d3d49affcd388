import fc from 'fast-check';
import { expectLinear } from '../../../test/support/growth.js';
import { replaceText } from './replace-text.js';

const edit = (old_string: string, new_string: string, replace_all = false) => ({
  ...{ old_string, new_string, replace_all },
});
const replace = (text: string, ...strings: Parameters<typeof edit>) =>
  replaceText(text, edit(...strings), 1_000_000);

describe(replaceText.name, () => {
  it('replaces what is there once, and says in which line', () => {
    const expected = { kind: 'replaced', text: 'a\nB\nc', lines: [2], count: 1 };
    expect(replace('a\nb\nc', 'b', 'B')).toEqual(expected);
  });

  it('takes the strings as they are, not as patterns', () => {
    expect(replace('a.c abc', 'a.c', "$& $' $1")).toMatchObject({ text: "$& $' $1 abc" });
  });

  it('says where it is when it is there more than once, overlapping or not', () => {
    expect(replace('x\naaa\nx', 'aa', 'b')).toEqual({ kind: 'several', lines: [2, 2], count: 2 });
    expect(replace('a\nb\na', 'a', 'b')).toEqual({ kind: 'several', lines: [1, 3], count: 2 });
  });

  it('replaces all, from the start on, when asked to', () => {
    expect(replace('aaa\na', 'aa', 'b', true)).toMatchObject({ text: 'ba\na', count: 1 });
    const many = replace('a\n'.repeat(30), 'a', 'b', true);
    expect(many).toMatchObject({ text: 'b\n'.repeat(30), count: 30 });
    expect(many).toMatchObject({ lines: Array.from({ length: 20 }, (_, at) => at + 1) });
  });

  it('says when it is not there', () => {
    expect(replace('abc', 'abd', 'x')).toEqual({ kind: 'none' });
  });

  it.each([
    ['a\r\nb\r\nc', 'a\nb', 'x\ny\nz', 'x\r\ny\r\nz\r\nc'],
    ['a\r\nb\r\nc', 'a\r\nb', 'x\r\ny', 'x\r\ny\r\nc'],
    ['a\nb\nc', 'a\r\nb', 'x\r\ny', 'x\ny\nc'],
    ['a\r\nb\r\nc', 'b', 'x\ny', 'a\r\nx\r\ny\r\nc'],
    ['a\r\nb\r\nc\nd', 'c', 'x\ny', 'a\r\nb\r\nx\r\ny\nd'],
    ['a\nb\nc\r\nd', 'a\nb', 'x\ny', 'x\ny\nc\r\nd'],
    ['a\nb\nc\r\nd\r\ne', 'c\nd', 'x\ny', 'a\nb\nx\r\ny\r\ne'],
    ['a\r\nb', '\n', ' ', 'a b'],
    ['a\r\nb', 'a', 'x', 'x\r\nb'],
    ['a\r\nb', 'b', 'x', 'a\r\nx'],
    ['a\rb', 'b', 'x', 'a\rx'],
  ])('keeps the endings of lines: %j, %j for %j', (text, old_string, new_string, after) => {
    expect(replace(text, old_string, new_string)).toMatchObject({ text: after });
  });

  it('becomes no larger than it may, and does not try', () => {
    const much = 'b'.repeat(1_000);
    const result = replaceText('a'.repeat(1_000), edit('a', much, true), 10_000);
    expect(result).toEqual({ kind: 'too_large', length: 1_000_000 });
  });

  const texts = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 40 });
  const wanted = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 1, maxLength: 3 });

  it('does what replacing in a string does', () => {
    fc.assert(
      fc.property(texts, wanted, texts, (text, old_string, new_string) => {
        const result = replace(text, old_string, new_string, true);
        if (!text.includes(old_string)) return expect(result.kind).toBe('none');
        expect(result).toMatchObject({ text: text.replaceAll(old_string, () => new_string) });
      }),
    );
  });

  it('does the same in a file with CRLF, and with CRLF in the strings', () => {
    const crlf = (text: string) => text.replaceAll('\n', '\r\n');
    fc.assert(
      fc.property(texts, wanted, texts, fc.boolean(), (text, old_string, new_string, all) => {
        fc.pre(text.includes('\n'));
        const plain = replace(text, old_string, new_string, all);
        const expected = plain.kind === 'replaced' ? { ...plain, text: crlf(plain.text) } : plain;
        expect(replace(crlf(text), old_string, new_string, all)).toEqual(expected);
        expect(replace(crlf(text), crlf(old_string), crlf(new_string), all)).toEqual(expected);
      }),
    );
  });

  it('leaves everything around it as it is, whatever ends the lines', () => {
    const around = fc
      .array(fc.constantFrom('a', '\n', '\r\n', '\r'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(around, around, (before, after) => {
        const result = replace(`${before}<old>${after}`, '<old>', '<new>');
        expect(result).toMatchObject({ text: `${before}<new>${after}` });
      }),
    );
  });

  describe('takes linear time', () => {
    it.each([
      ['what overlaps itself', 'a', 'several'],
      ['what is almost there everywhere', 'b', 'none'],
    ])('with %s', async (_, middle, kind) => {
      await expectLinear((size) => {
        const text = 'a'.repeat(size);
        const wanted = edit(`${'a'.repeat(size / 80)}${middle}${'a'.repeat(size / 80)}`, 'x');
        return () => expect(replaceText(text, wanted, size)).toMatchObject({ kind });
      }, 400_000);
    });

    it('and does not begin to replace very many', () => {
      const many = { kind: 'too_many', count: 400_000 };
      expect(replaceText('a'.repeat(400_000), edit('a', 'b', true), 400_000)).toEqual(many);
    });
  });

  it('finds what indexOf finds', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 });
    const few = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(texts, few, (text, wanted) => {
        expect(replace(text, wanted, 'x', true)).toMatchObject(
          text.includes(wanted) ? { text: text.replaceAll(wanted, 'x') } : { kind: 'none' },
        );
      }),
    );
  });
});
