import fc from 'fast-check';
import { SparseOffsets } from './sparse-offsets.js';

describe(SparseOffsets.name, () => {
  it('knows nothing of a short log', () => {
    const offsets = new SparseOffsets();
    for (let seq = 1; seq < 60; seq++) offsets.note(seq, seq * 10);
    expect(offsets.before(59)).toBe(0);
  });

  it('is never past the record, and near it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50_000 }), fc.nat(), (count, pick) => {
        const offsets = new SparseOffsets();
        for (let seq = 1; seq <= count; seq++) offsets.note(seq, seq * 10);
        const seq = (pick % count) + 1;
        expect(offsets.before(seq)).toBeLessThanOrEqual(seq * 10);
        const near = Math.max(128, count / 16);
        expect(offsets.before(seq)).toBeGreaterThan((seq - near) * 10);
      }),
      { numRuns: 50 },
    );
  });
});
