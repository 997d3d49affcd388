import fc from 'fast-check';
import { BoundedOutput } from './bounded-output.js';
import { runs } from '../../../test/support/thoroughness.js';

function outputOf(limit: number, chunks: readonly Buffer[]) {
  const output = new BoundedOutput(limit);
  const memory = Buffer.alloc(Math.max(1, ...chunks.map((chunk) => chunk.length)));
  for (const chunk of chunks) {
    chunk.copy(memory); // the caller's memory is used again
    output.push(memory.subarray(0, chunk.length));
  }
  return output.text();
}

describe(BoundedOutput.name, () => {
  it('shows all of what is short enough, in order', () => {
    const chunks = ['a', 'ü', '', '🎉'].map((text) => Buffer.from(text));
    expect(outputOf(10, chunks)).toEqual({ text: 'aü🎉', truncated: false });
  });

  it('cuts nothing of what it still has', () => {
    const text = 'x'.repeat(150);
    expect(outputOf(100, [Buffer.from(text)])).toEqual({ text, truncated: false });
  });

  it('keeps head and tail of however much comes, and counts what it cut', () => {
    const lines = Array.from({ length: 10_000 }, (_, n) => Buffer.from(`line ${n}\n`));
    const { text, truncated } = outputOf(100, lines);
    expect(truncated).toBe(true);
    expect(text.startsWith('line 0\nline 1\n')).toBe(true);
    expect(text.endsWith('\nline 9998\nline 9999\n')).toBe(true);
    const [, cut] = /\[… (\d+) bytes cut …\]/.exec(text)!;
    expect(Number(cut)).toBe(Buffer.concat(lines).length - 400);
  });

  it('shows characters whole, wherever chunks and cuts fall', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 40 })),
        fc.array(fc.nat(50), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 4, max: 80 }),
        (texts, sizes, limit) => {
          const text = texts.join('').toWellFormed();
          const shown = outputOf(limit, split(Buffer.from(text), sizes));
          expect(shown.text.isWellFormed()).toBe(true);
          if (!shown.truncated) return expect(shown.text).toBe(text);
          const [head = '', tail = ''] = shown.text.split(/\n\[… \d+ \w+ cut …\]\n/);
          expect(text.startsWith(head)).toBe(true);
          expect(text.endsWith(tail)).toBe(true);
        },
      ),
      { numRuns: runs(100) },
    );
  });
});

function split(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]! + 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}
