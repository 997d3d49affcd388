import { PrintedOutput } from './printed-output.js';

describe(PrintedOutput.name, () => {
  const printed = (bytes: Buffer, size: number, limit = 100): [string, string] => {
    const output = new PrintedOutput(limit);
    let shown = '';
    for (let at = 0; at < bytes.length; at += size)
      shown += output.push(bytes.subarray(at, at + size));
    return [shown, output.text().text];
  };

  it.each([1, 2, 3, 100])('shows all to people, and the end of each row to models: %i', (size) => {
    const text = '\u001b[32mGrün\u001b[0m 🎉\n 10%\r100%\r\nend';
    expect(printed(Buffer.from(text), size)).toEqual([text, 'Grün 🎉\n100%\r\nend']);
  });

  it('cuts no answer because of a progress bar', () => {
    const bar = Array.from({ length: 100_000 }, (_, at) => `\r${at} of 100000`).join('');
    const [, text] = printed(Buffer.from(`start\n${bar}\nend`), 1_000);
    expect(text).toBe('start\n99999 of 100000\nend');
  });

  it('keeps bytes that are no text', () => {
    expect(printed(Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xe2, 0x82]), 1)[1]).toBe(
      '\ufeffa\ufffd\ufffd',
    );
  });
});
