import { jest } from '@jest/globals';
import { parseLine } from './ndjson.js';

const nested = (levels: number): Uint8Array =>
  Buffer.from(`{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`);

describe(parseLine.name, () => {
  afterEach(() => jest.restoreAllMocks());

  it('takes 200 levels', () => {
    expect(parseLine(nested(200)).kind).toBe('object');
  });

  it('parses nothing deeper, which would take so long that leases are lost', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const fault = 'is nested deeper than 200 levels';
    expect(parseLine(nested(201))).toEqual({ kind: 'fault', fault });
    expect(parse).not.toHaveBeenCalled();
  });
});
