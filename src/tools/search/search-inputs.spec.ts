import { globInput, regexInput } from './search-inputs.js';

describe('inputs of searches', () => {
  const faults = (input: typeof globInput, text: string) =>
    input.safeParse(text).error?.issues.map(({ code }) => code);

  it.each([
    ['a glob', globInput, '{'],
    ['a regular expression', regexInput, '('],
  ])('compiles no text that is too long for %s', (_, input, piece) => {
    expect(faults(input, piece)).toEqual(['custom']);
    expect(faults(input, piece.repeat(1_001))).toEqual(['too_big']);
  });
});
