import fc from 'fast-check';
import { AppError } from '../kernel/app-error.js';
import { START, formatCursor, parseCursor } from './cursor.js';

const BLOCK_ID = fc.stringMatching(/^[a-z0-9]{1,32}$/);
const PLACE = fc.nat(999_999_999_999_999);
const OFFSETS = fc.array(fc.tuple(BLOCK_ID, PLACE), { maxLength: 100 }).map((all) => new Map(all));

/** Text that is like a cursor, but need not be one. */
const NEAR_MISS = fc
  .array(fc.constantFrom('0', '1', '7', 'a', 'z9', '~', '.', '-', 'A', ' ', '\n', '\u0660', '1e3'))
  .map((parts) => parts.join(''));

describe('cursor', () => {
  it('is the seq alone when no block is open', () => {
    expect(formatCursor(12, new Map())).toBe('12');
    expect(parseCursor('12')).toEqual({ seq: 12, offsets: new Map() });
    expect(parseCursor('0')).toEqual(START);
  });

  it('names each open block and its offset', () => {
    const offsets = new Map([
      ['1b0', 5],
      ['1b1', 70],
    ]);
    expect(formatCursor(3, offsets)).toBe('3~1b0.5~1b1.70');
    expect(parseCursor('3~1b0.5~1b1.70')).toEqual({ seq: 3, offsets });
  });

  it('comes back from the wire as it was', () => {
    const property = fc.property(PLACE, OFFSETS, (seq, offsets) => {
      expect(parseCursor(formatCursor(seq, offsets))).toEqual({ seq, offsets });
    });
    fc.assert(property);
  });

  it.each(['9'.repeat(16), '9'.repeat(400)])('is ahead of every log with %s records', (digits) => {
    const most = Number.MAX_SAFE_INTEGER;
    expect(parseCursor(digits)).toEqual({ seq: most, offsets: new Map() });
    expect(parseCursor(`1~a.${digits}`)).toEqual({ seq: 1, offsets: new Map([['a', most]]) });
  });

  it('is taken as it was sent, or refused: nothing means what another text means', () => {
    const property = fc.property(fc.oneof(fc.string(), NEAR_MISS), (text) => {
      const cursor = attempt(text);
      if (cursor instanceof AppError) expect(cursor.code).toBe('invalid_cursor');
      else expect(formatCursor(cursor.seq, cursor.offsets)).toBe(text);
    });
    fc.assert(property, { numRuns: 2000 });
  });

  it.each([
    ['nothing', ''],
    ['a sign', '-1'],
    ['a fraction', '1.5'],
    ['an exponent', '1e3'],
    ['a leading zero', '01'],
    ['an offset with a leading zero', '1~a.01'],
    ['spaces', ' 1'],
    ['a line break at the end', '1\n'],
    ['digits of another script', '\u0661'],
    ['a block without an offset', '1~a'],
    ['a block without an id', '1~.5'],
    ['an upper case id', '1~A.5'],
    ['an id that is too long', `1~${'a'.repeat(33)}.5`],
    ['an id that is percent encoded', '1~a%2e.5'],
    ['an empty block', '1~~a.5'],
    ['something after the last block', '1~a.5~'],
    ['a block twice', '1~a.5~b.1~a.5'],
    ['more than a client needs', `1${'~a.5'.repeat(3000)}`],
  ])('refuses %s', (_what, text) => {
    expect(attempt(text)).toMatchObject({ kind: 'invalid', code: 'invalid_cursor' });
  });

  function attempt(text: string): ReturnType<typeof parseCursor> | AppError {
    try {
      return parseCursor(text);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }
});
