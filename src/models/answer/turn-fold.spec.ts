import { tokens } from './turn-fold.js';

const MAX = Number.MAX_SAFE_INTEGER;

describe(tokens.name, () => {
  it.each([
    [12, 12],
    [12.5, 13],
    [3e9, 3e9],
    [1e300, MAX],
    [Infinity, MAX],
    [-7, 0],
    [-0.2, 0],
    [NaN, 0],
    ['12', 12],
    [' 12 ', 12],
    ['', 0],
    ['many', 0],
    [null, 0],
    [undefined, 0],
    [[3], 0],
  ])('counts %p as %p', (sent, counted) => {
    expect(tokens(sent)).toBe(counted);
  });
});
