import { expectLinear } from '../../../test/support/growth.js';
import { IMAGES, pngOf } from '../../../test/support/tools/images.js';
import { MAX_IMAGE_BYTES, readImage } from './read-image.js';

const bytesOf = (base64: string) => Buffer.from(base64, 'base64');

describe(readImage.name, () => {
  it.each([
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
    ['progressive_jpeg', 'image/jpeg'],
    ['gif', 'image/gif'],
    ['webp', 'image/webp'],
    ['lossless_webp', 'image/webp'],
    ['extended_webp', 'image/webp'],
  ] as const)('knows a %s by its bytes', (name, media_type) => {
    const data = IMAGES[name];
    expect(readImage(bytesOf(data))).toEqual({
      ok: true,
      image: { media_type, data },
      about: `${media_type}, 3×2, ${bytesOf(data).length} bytes`,
    });
  });

  it.each(['', 'GIF', 'text', '\x89PNG', '\0\0\0\0', '<svg xmlns="http://www.w3.org/2000/svg"/>'])(
    'finds no image in %j',
    (text) => expect(readImage(Buffer.from(text, 'latin1'))).toBeUndefined(),
  );

  it.each(['animated_gif', 'animated_webp'] as const)('shows no %s', (name) => {
    expect(readImage(bytesOf(IMAGES[name]))).toMatchObject({
      ok: false,
      fault: expect.stringContaining('is animated'),
    });
  });

  it.each(Object.entries(IMAGES))('shows no %s that is cut off, wherever', (_, data) => {
    const whole = bytesOf(data);
    for (let end = 12; end < whole.length - 12; end++) {
      const cut = readImage(whole.subarray(0, end));
      expect([end, cut?.ok]).toEqual([end, false]);
    }
  });

  it('takes linear time for bytes that only begin as an image', async () => {
    await expectLinear((size) => {
      const long = Buffer.alloc(size, 0xff);
      long.write('ffd8ff', 'hex');
      return () => expect(readImage(long)).toMatchObject({ ok: false });
    }, 512 * 1024);
  });

  it('shows what is as large as may be, and nothing larger', () => {
    expect(readImage(pngOf(MAX_IMAGE_BYTES))).toMatchObject({
      ok: true,
      about: 'image/png, 3×2, 1,048,576 bytes',
    });
    const faultOf = (bytes: Buffer) => (readImage(bytes) as { fault?: string }).fault;
    expect(faultOf(pngOf(MAX_IMAGE_BYTES + 1))).toMatch(/1,048,576 bytes/);
    expect(faultOf(pngOf(57, { width: 8_000, height: 3_125 }))).toBeUndefined();
    expect(faultOf(pngOf(57, { width: 8_000, height: 3_126 }))).toMatch(/25 million/);
    expect(faultOf(pngOf(57, { width: 8_000, height: 8_000 }))).toMatch(/25 million/);
    expect(faultOf(pngOf(57, { width: 8_001 }))).toMatch(/8000 pixels/);
    expect(faultOf(pngOf(57, { height: 8_001 }))).toMatch(/8000 pixels/);
    expect(faultOf(pngOf(57, { width: 0 }))).toMatch(/damaged/);
  });
});
