import { parseSequence, toSequence } from './sequence.js';

describe(toSequence.name, () => {
  it('is read back, and rises with records, then events, then texts', () => {
    const points = [
      { seq: 0, events: 0, length: 0 },
      { seq: 0, events: 1, length: 0 },
      { seq: 1, events: 0, length: 12 },
      { seq: 1, events: 1, length: 5 },
      { seq: 1, events: 1, length: 900_000 },
      { seq: 8_000_000, events: 255, length: 4_000_000 },
    ];
    const numbers = points.map(toSequence);
    expect(numbers.map(parseSequence)).toEqual(points);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(numbers.every((number) => Number.isSafeInteger(number))).toBe(true);
  });
});
