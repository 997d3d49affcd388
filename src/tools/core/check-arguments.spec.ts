import { parseArguments } from './check-arguments.js';

const nested = (depth: number) => `{"a":${'['.repeat(depth)}1${']'.repeat(depth)}}`;

describe(parseArguments.name, () => {
  it('takes an object, and nothing at all', () => {
    expect(parseArguments('t', '{"a":[[1]]}')).toEqual({ ok: true, input: { a: [[1]] } });
    expect(parseArguments('t', ' ')).toEqual({ ok: true, input: {} });
  });

  it.each(['[]', '1', 'null', '{', nested(200), nested(200_000)])('refuses %.40s', (text) => {
    expect(parseArguments('t', text)).toMatchObject({
      ok: false,
      fault: expect.stringMatching(/^The arguments of t .* Send one JSON object\.$/),
    });
  });

  it('takes what is nested as deep as anybody means it', () => {
    expect(parseArguments('t', nested(90)).ok).toBe(true);
  });
});
