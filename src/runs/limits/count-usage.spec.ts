import { countUsage } from './count-usage.js';

describe(countUsage.name, () => {
  const estimate = { input: 400, output: 30 };

  it.each([
    [
      [0, 0],
      [400, 30],
    ],
    [
      [7, 0],
      [7, 30],
    ],
    [
      [0, 3],
      [400, 3],
    ],
    [
      [7, 3],
      [7, 3],
    ],
  ])('counts %j as %j', ([input_tokens = 0, output_tokens = 0], [input, output]) => {
    const counted = countUsage({ input_tokens, output_tokens }, estimate);
    expect(counted).toEqual({ input_tokens: input, output_tokens: output });
  });

  it('gives a usage that is whole as it is', () => {
    const usage = { input_tokens: 7, output_tokens: 0 };
    expect(countUsage(usage, { input: 400, output: 0 })).toBe(usage);
  });
});
