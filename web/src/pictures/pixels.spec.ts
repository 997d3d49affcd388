import { IMAGES, pngOf } from '../../../test/support/tools/images';
import { pixelsIn } from './pixels';

describe('pixelsIn', () => {
  it.each(Object.entries(IMAGES))('reads the size of a %s', (_, data) => {
    expect(pixelsIn(Buffer.from(data, 'base64'))).toBe(6);
  });

  it('reads a size that few bytes have', () => {
    expect(pixelsIn(pngOf(57, { width: 60_000, height: 60_000 }))).toBe(3_600_000_000);
  });

  it.each(Object.entries(IMAGES))('finds none in a %s that is cut off in its header', (_, data) => {
    const whole = Buffer.from(data, 'base64');
    for (let end = 0; end < 10; end++)
      expect([end, pixelsIn(whole.subarray(0, end))]).toEqual([end, undefined]);
  });

  it.each(['', '<html>', 'BM\0\0\0\0\0\0\0\0', 'RIFF\0\0\0\0WAVEfmt ', '\xff\xd8\xff\x01\0\x02'])(
    'finds none in %j',
    (text) => {
      expect(pixelsIn(Buffer.from(text.padEnd(60, '\0'), 'latin1'))).toBeUndefined();
    },
  );
});
