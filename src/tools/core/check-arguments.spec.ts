import { z } from 'zod';
import { ExactNumber } from '../../kernel/json/exact-json.js';
import { checkArguments, judgedArguments, parseArguments } from './check-arguments.js';
import type { Tool } from './tool.js';

const nested = (depth: number) => `{"a":${'['.repeat(depth)}1${']'.repeat(depth)}}`;

describe(parseArguments.name, () => {
  it('takes an object, and nothing at all', () => {
    expect(parseArguments({ name: 't' }, '{"a":[[1]]}')).toEqual({ ok: true, input: { a: [[1]] } });
    for (const none of ['', ' \n', 'null', ' null '])
      expect(parseArguments({ name: 't' }, none)).toEqual({ ok: true, input: {} });
  });

  it.each(['[1]', '"1"', '{"a":1}{"a":2}', '1', 'nil', 'null,', '{', nested(200), nested(200_000)])(
    'refuses %.40s',
    (text) => {
      expect(parseArguments({ name: 't' }, text)).toMatchObject({
        ok: false,
        fault: expect.stringMatching(/^The arguments of t .* Send one JSON object\.$/),
      });
    },
  );

  it.each(['"null"', '""', '"{}"', '[]', ' [ ] ', '{}{}', ' {} \n{}', '"[]"', '" "'])(
    'takes %j for nothing, too',
    (text) => {
      expect(parseArguments({ name: 't' }, text)).toEqual({ ok: true, input: {} });
      expect(judgedArguments(text)).toEqual({});
    },
  );

  it.each([
    ['in a string', '"{\\"id\\":1234567890123456789}"'],
    ['behind an empty one', '{}{"id":1234567890123456789}'],
    ['twice', '{"id":1234567890123456789}{"id":1234567890123456789}'],
    ['twice, in lines', '{"id":1234567890123456789}\n\n{"id":1234567890123456789}\n'],
  ])('takes an object that is there %s, with every digit', (_, text) => {
    const input = { id: new ExactNumber('1234567890123456789') };
    expect(parseArguments({ name: 't', exact_numbers: true }, text)).toEqual({ ok: true, input });
    expect(judgedArguments(text)).toEqual({ id: '1234567890123456789' });
    const tool = { name: 't', input: z.looseObject({}) } as unknown as Tool;
    expect(checkArguments(tool, text)).toMatchObject({
      ok: false,
      fault: expect.stringContaining('1234567890123456789'),
    });
  });

  it('takes what is nested as deep as anybody means it', () => {
    expect(parseArguments({ name: 't' }, nested(90)).ok).toBe(true);
  });
});

describe(checkArguments.name, () => {
  const text = '{"id":1234567890123456789,"n":1.5}';
  const plain = { name: 't', input: z.looseObject({}) };
  const tool = plain as unknown as Tool;

  it('refuses a number that the tool would get changed', () => {
    expect(checkArguments(tool, text)).toEqual({
      ok: false,
      fault: expect.stringMatching(/the number 1234567890123456789, .* as a string\.$/),
    });
    expect(checkArguments(tool, '{"id":"1234567890123456789"}')).toMatchObject({ ok: true });
  });

  it('gives it with every digit to a tool that takes it', () => {
    const exact = { ...plain, exact_numbers: true } as unknown as Tool;
    const input = { id: new ExactNumber('1234567890123456789'), n: 1.5 };
    expect(checkArguments(exact, text)).toEqual({ ok: true, input });
    expect(checkArguments(exact, '{"n":1.0}')).toEqual({
      ...{ ok: true, input: { n: new ExactNumber('1.0') } },
    });
    expect(checkArguments(tool, '{"n":1.0}')).toEqual({ ok: true, input: { n: 1 } });
  });

  it('shows it to rules with every digit, as a string', () => {
    expect(judgedArguments(text)).toEqual({ id: '1234567890123456789', n: 1.5 });
    expect(judgedArguments('{"n":1.0}')).toEqual({ n: 1 });
    expect(judgedArguments(' null')).toEqual({});
  });
});
