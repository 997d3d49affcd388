import { decodeText } from './decode-text.js';

const TEXT = 'MODEL=é\r\n';
const LE = Buffer.from(`\uFEFF${TEXT}`, 'utf16le');

describe(decodeText.name, () => {
  it.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${TEXT}`)],
    ['UTF-16 LE', LE],
    ['UTF-16 BE', Buffer.from(LE).swap16()],
  ])('reads %s', (_, bytes) => {
    expect(decodeText(bytes)).toBe(TEXT);
  });
});
