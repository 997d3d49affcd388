import { Scrubber } from './scrubber.js';

describe(Scrubber.name, () => {
  it('hides the secret as it is, in a URL and in JSON', () => {
    const { scrub } = new Scrubber('a+b"c');
    expect(scrub('a+b"c, a%2Bb%22c, a+b\\"c')).toBe('[key], [key], [key]');
  });

  it('leaves texts alone when there is no secret', () => {
    expect(new Scrubber('').scrub('text')).toBe('text');
    expect(new Scrubber(undefined).scrub('text')).toBe('text');
  });

  it('tells the causes of an error, and drops what hangs on them', () => {
    const inner = Object.assign(new Error('inner key'), { code: 'ECONNRESET', headers: 'key' });
    const cause = new Scrubber('key').cause(new TypeError('outer key', { cause: inner }));
    expect(cause).toMatchObject({ name: 'TypeError', message: 'outer [key]' });
    expect(cause.cause).toMatchObject({ message: 'inner [key]', code: 'ECONNRESET' });
    expect(cause.cause).not.toHaveProperty('headers');
    expect(cause.stack).not.toContain('outer key');
  });
});
