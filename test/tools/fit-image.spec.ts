import { fitImage } from '../../src/tools/images/scaling/fit-image.js';
import { MAX_IMAGE_BYTES } from '../../src/tools/images/read-image.js';
import { IMAGES, pngOf } from '../support/tools/images.js';
import { CORNERS, look, makeJpeg, makePng } from '../support/tools/photos.js';
import type { Color } from '../support/tools/photos.js';

/** Bytes that a scaled copy has at most: eight of them go into a request. */
const MAX_COPY_BYTES = 512 * 1024;

function fit(bytes: Buffer, options: { max_bytes?: number; time_ms?: number } = {}) {
  return fitImage(bytes, { signal: new AbortController().signal, ...options });
}

async function lookAt(bytes: Buffer, options?: { max_bytes: number }) {
  const fitted = await fit(bytes, options);
  if (!fitted?.ok) throw new Error(fitted?.fault);
  expect(fitted).toMatchObject({ is_copy: true, image: { media_type: 'image/jpeg' } });
  expect(Buffer.byteLength(fitted.image.data, 'base64')).toBeLessThanOrEqual(MAX_COPY_BYTES);
  return look(fitted.image.data);
}

describe(fitImage.name, () => {
  it('leaves an image that is small enough as it is', async () => {
    const bytes = Buffer.from(IMAGES.png, 'base64');
    expect(await fit(bytes)).toEqual({
      ...{ ok: true, about: 'image/png, 3×2, 73 bytes' },
      image: { media_type: 'image/png', data: IMAGES.png },
    });
  });

  it('scales a large image down, the same way each time', async () => {
    const png = makePng({ width: 2_000, height: 300 });
    expect(png.length).toBeGreaterThan(MAX_IMAGE_BYTES);
    expect(await lookAt(png)).toEqual({ width: 1_568, height: 235, corners: CORNERS });
    expect(await fit(png)).toEqual(await fit(png));
  });

  it('scales down what is only too wide', async () => {
    const jpeg = await makeJpeg({ width: 8_001, height: 16 });
    expect(jpeg.length).toBeLessThan(MAX_IMAGE_BYTES);
    expect(await lookAt(jpeg)).toEqual({ width: 1_568, height: 3, corners: CORNERS });
  });

  it.each<[number, string]>([
    [1, 'red green blue white'],
    [2, 'green red white blue'],
    [3, 'white blue green red'],
    [4, 'blue white red green'],
    [5, 'red blue green white'],
    [6, 'blue red white green'],
    [7, 'white green blue red'],
    [8, 'green white red blue'],
  ])('turns a photo of the orientation %i as it was taken', async (orientation, corners) => {
    const photo = await makeJpeg({ width: 64, height: 32, orientation, padding: MAX_IMAGE_BYTES });
    const [width, height] = orientation > 4 ? [32, 64] : [64, 32];
    expect(await lookAt(photo)).toEqual({ width, height, corners: corners.split(' ') as Color[] });
  });

  it('keeps nothing of the metadata', async () => {
    const photo = await makeJpeg({ width: 64, height: 32, orientation: 6, padding: 2_000_000 });
    const fitted = await fit(photo);
    const data = fitted?.ok === true ? Buffer.from(fitted.image.data, 'base64') : undefined;
    expect([photo.includes('Exif'), data?.includes('Exif')]).toEqual([true, false]);
    expect(data?.length).toBeLessThan(5_000);
  });

  it('shows what is transparent on white', async () => {
    const { corners } = await lookAt(makePng({ width: 64, height: 32 }, 0), { max_bytes: 100 });
    expect(corners).toEqual(['white', 'white', 'white', 'white']);
  });

  it.each(['webp', 'lossless_webp', 'extended_webp', 'progressive_jpeg', 'png'] as const)(
    'makes a copy of a %s',
    async (name) => {
      const copy = await lookAt(Buffer.from(IMAGES[name], 'base64'), { max_bytes: 10 });
      expect(copy).toMatchObject({ width: 3, height: 2 });
    },
  );

  it('makes no copy of what is animated, or of a GIF', async () => {
    for (const name of ['animated_gif', 'animated_webp'] as const) {
      const animated = await fit(Buffer.from(IMAGES[name], 'base64'), { max_bytes: 10 });
      expect(animated).toMatchObject({ ok: false, fault: expect.stringContaining('is animated') });
    }
    const gif = await fit(Buffer.from(IMAGES.gif, 'base64'), { max_bytes: 10 });
    expect(gif).toMatchObject({ ok: false, fault: 'has more than the 10 bytes that can be shown' });
  });

  it('decodes no image whose header says that it has too many pixels', async () => {
    const fault = expect.stringMatching(/^has more pixels than the (?:25|50) million/);
    const bomb = pngOf(MAX_IMAGE_BYTES + 1, { width: 8_000, height: 8_000 });
    expect(await fit(bomb, { time_ms: 0 })).toMatchObject({ ok: false, fault });
  });

  it('gives up what takes too much memory', async () => {
    const bytes = Buffer.from(IMAGES.progressive_jpeg, 'base64');
    const frame = bytes.indexOf('ffc2', 'hex');
    bytes.writeUInt16BE(6_000, frame + 5);
    bytes.writeUInt16BE(8_000, frame + 7);
    bytes[frame + 11] = 0x11; // as many samples of each component
    const fault = 'takes too much memory to read';
    expect(await fit(bytes, { max_bytes: 10 })).toMatchObject({ ok: false, fault });
  });

  it('gives up what is damaged', async () => {
    const fault = 'is damaged';
    expect(await fit(pngOf(MAX_IMAGE_BYTES + 1))).toMatchObject({ ok: false, fault });
    const jpeg = Buffer.from(IMAGES.jpeg, 'base64');
    jpeg.fill(0xff, 30, 100);
    expect(await fit(jpeg, { max_bytes: 10 })).toMatchObject({ ok: false });
  });

  it('gives up after its time, and when its run is stopped', async () => {
    const photo = await makeJpeg({ width: 64, height: 32, padding: MAX_IMAGE_BYTES });
    const late = await fit(photo, { time_ms: 0 });
    expect(late).toMatchObject({ ok: false, fault: 'takes too long to read' });
    const stop = new AbortController();
    const [first, next] = [1, 2].map(() => fitImage(photo, { signal: stop.signal }));
    stop.abort(new Error('stopped'));
    await expect(first).rejects.toThrow('stopped');
    await expect(next).rejects.toThrow('stopped');
  });
});
