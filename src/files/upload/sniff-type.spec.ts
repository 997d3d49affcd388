import { HEAD_BYTES, sniffType } from './sniff-type.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

describe(sniffType.name, () => {
  it.each([
    ['a.png', PNG, 'image/png'],
    ['a.txt', PNG, 'image/png'],
    ['a.pdf', '%PDF-1.7\n', 'application/pdf'],
    ['a.txt', 'Grüße', 'text/plain'],
    ['README', 'Hello', 'text/plain'],
    ['a.png', 'Hello', 'text/plain'],
    ['a.md', '# Hi', 'text/markdown'],
    ['a.json', '{}', 'application/json'],
    ['a.html', 'Hi', 'text/html'],
    ['a.txt', '<!DOCTYPE html><p>', 'text/html'],
    ['a.txt', '\n<!-- x --><script>1</script>', 'text/html'],
    ['a.txt', '<!--> <!-- <html> --->\n<!-- --><HTML>', 'text/html'],
    ['a.txt', '<!-- <html>', 'text/plain'],
    ['a.txt', `${'<!---->'.repeat(500)}<x`, 'text/plain'],
    ['a.txt', `${'<!---->'.repeat(500)}<html>`, 'text/html'],
    ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ['a.xml', '<?xml version="1.0"?><svg/><svg >', 'image/svg+xml'],
    ['a.xml', '<?xml version="1.0"?><a/>', 'application/xml'],
    ['a.txt', '', 'text/plain'],
    ['a.txt', Buffer.from([0, 1, 2]), 'application/octet-stream'],
    ['a.txt', Buffer.from([0xc3, 0x28]), 'application/octet-stream'],
    ['table.txt', utf16('Name\tÖre\r\n😀\t1\r\n'), 'text/plain'],
    ['table.mp3', utf16('Name\tÖre\r\n'), 'text/plain'],
    ['table.csv', utf16('a;b').swap16(), 'text/csv'],
    ['a.txt', utf16('<html>'), 'text/html'],
    ['a.bin', Buffer.from([0xff, 0xfe, 0, 0, 1, 0]), expect.not.stringMatching(/^text/)],
    ['a.txt', '\ufeffGrüße\r\n', 'text/plain'],
    ['a.docx', 'PK\u0003\u0004', expect.stringContaining('wordprocessingml')],
    ['a.zip', 'PK\u0003\u0004', 'application/zip'],
  ])('%s', async (name, content, type) => {
    expect(await sniffType(Buffer.from(content), name)).toEqual(type);
  });

  it('takes UTF-16 whose last character is cut off', async () => {
    for (const before of ['', 'x']) {
      const head = utf16(before + '😀'.repeat(HEAD_BYTES)).subarray(0, HEAD_BYTES);
      expect(await sniffType(head, 'a')).toBe('text/plain');
    }
  });

  it('takes a text whose last character is cut off', async () => {
    const head = Buffer.from('ä'.repeat(HEAD_BYTES)).subarray(0, HEAD_BYTES + 1);
    expect(await sniffType(head.subarray(1), 'a')).toBe('application/octet-stream');
    expect(await sniffType(head.subarray(0, HEAD_BYTES), 'a')).toBe('text/plain');
    expect(
      await sniffType(Buffer.concat([Buffer.from('x'), head]).subarray(0, HEAD_BYTES), 'a'),
    ).toBe('text/plain');
  });
});
