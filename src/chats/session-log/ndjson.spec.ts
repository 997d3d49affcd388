import { jest } from '@jest/globals';
import { atOnce } from '../../kernel/async/sliced.js';
import { parseLine } from './ndjson.js';

const nested = (levels: number): Uint8Array =>
  Buffer.from(`{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`);

describe(parseLine.name, () => {
  afterEach(() => jest.restoreAllMocks());

  it('takes 200 levels', () => {
    expect(atOnce(parseLine(nested(200))).kind).toBe('object');
  });

  it('parses nothing deeper, which would take so long that leases are lost', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const fault = 'is nested deeper than 200 levels';
    expect(atOnce(parseLine(nested(201)))).toEqual({ kind: 'fault', fault });
    expect(parse).not.toHaveBeenCalled();
  });

  it('decodes a long line in slices, with the characters at their edges whole', () => {
    const text = `a${'\u{1f600}'.repeat(600_000)}`;
    const work = parseLine(Buffer.from(JSON.stringify({ text })));
    expect(work.next()).toMatchObject({ done: false });
    expect(atOnce(work)).toEqual({ kind: 'object', object: { text } });
  });

  it('finds characters that are cut off', () => {
    const bytes = Buffer.from('{"a":"\u{1f600}"}').subarray(0, 8);
    expect(atOnce(parseLine(bytes))).toEqual({ kind: 'fault', fault: 'is not valid UTF-8' });
  });
});
