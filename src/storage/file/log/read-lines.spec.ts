import type { FileHandle } from 'node:fs/promises';
import fc from 'fast-check';
import { readLines } from './read-lines.js';
import { runs } from '../../../../test/support/thoroughness.js';

/** A file in memory that answers at most `most` bytes at once, as a file may. */
function fakeFile(content: Buffer, most = Infinity): FileHandle {
  const read = async (target: Buffer, at: number, length: number, position: number) => {
    const end = Math.min(position + Math.min(length, most), content.length);
    return { bytesRead: content.copy(target, at, position, end), buffer: target };
  };
  return { read } as unknown as FileHandle;
}

async function collect(file: FileHandle, from: number, to: number) {
  const lines: { text: string; offset: number }[] = [];
  for await (const { bytes, offset } of readLines(file, { from, to })) {
    lines.push({ text: bytes.toString(), offset });
  }
  return lines;
}

describe(readLines.name, () => {
  it('finds every line and where it begins, however long and however it is read', async () => {
    const lengths = fc.array(fc.oneof(fc.nat(50), fc.constantFrom(65_535, 65_536, 400_000)), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(lengths, fc.constantFrom(1000, 70_000, Infinity), async (sizes, most) => {
        const texts = sizes.map((size, i) => String(i % 10).repeat(size));
        const content = Buffer.from(texts.map((text) => `${text}\n`).join(''));
        const lines = await collect(fakeFile(content, most), 0, content.length);
        expect(lines.map((line) => line.text)).toEqual(texts);
        for (const { text, offset } of lines) {
          expect(content.toString('latin1', offset, offset + text.length)).toBe(text);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('ends lines at \\n only, and leaves out what has no end', async () => {
    const content = Buffer.from('a\u2028b\u0085\r\n\nüx\nrest');
    expect(await collect(fakeFile(content), 0, content.length)).toEqual([
      { text: 'a\u2028b\u0085\r', offset: 0 },
      { text: '', offset: 9 },
      { text: 'üx', offset: 10 },
    ]);
  });

  it('begins and stops where it is told', async () => {
    const content = Buffer.from('one\ntwo\nthree\n');
    expect(await collect(fakeFile(content), 4, 8)).toEqual([{ text: 'two', offset: 4 }]);
  });
});
