import { ReaderThreads } from '../../../kernel/async/reader-threads.js';
import type { ThreadLimits, Unreadable } from '../../../kernel/async/reader-threads.js';
import type { ImageSize } from '../image-size.js';
import { aboutImage, MAX_PIXELS, readImage } from '../read-image.js';
import type { ReadImage } from '../read-image.js';
import { jpegOrientation } from './jpeg-orientation.js';

/** Decoded, a pixel has four bytes; a PNG takes three times as many for a moment. */
const MAX_SCALED = { 'image/jpeg': 50_000_000, 'image/webp': 50_000_000, 'image/png': MAX_PIXELS };
/** Maximum size of an image that may be scaled down: it is in memory as a whole. */
export const MAX_SOURCE_BYTES = 25 * 1024 * 1024;
/** Memory limit of a decoder, in bytes: a progressive JPEG takes up to ten per pixel. */
const MAX_MEMORY = 384 * 1024 * 1024;
/** Maximum size of a copy: those of a whole message fit. */
const MAX_COPY_BYTES = 512 * 1024;
/** Vendors scale down what has longer sides. The first copy that is small enough is taken. */
const STEPS = [
  { side: 1_568, quality: 85 },
  { side: 1_568, quality: 60 },
  { side: 1_024, quality: 50 },
  { side: 640, quality: 30 },
];

type Copy = ({ readonly ok: true; readonly data: Uint8Array } & ImageSize) | Unreadable;

export type FittedImage = ReadImage & { readonly is_copy?: true };

const THREADS = new ReaderThreads<Copy>(new URL('./worker.js', import.meta.url), 1);

/**
 * Reads an image like `readImage`, but makes a smaller copy of one that is too large: a JPEG
 * without metadata, turned as it was taken. It has the same bytes each time.
 * @throws the signal's reason
 */
export async function fitImage(
  bytes: Buffer,
  { max_bytes, ...limits }: ThreadLimits & { readonly max_bytes?: number },
): Promise<FittedImage | undefined> {
  const read = readImage(bytes, max_bytes);
  if (!read || read.ok || !read.too_large) return read;
  const { about, too_large } = read;
  const { type, size } = too_large;
  if (type === 'image/gif') return read;
  if (size.width * size.height > MAX_SCALED[type])
    return {
      ok: false,
      fault: `has more pixels than the ${MAX_SCALED[type] / 1e6} million that can be scaled down`,
      about,
    };
  const orientation = type === 'image/jpeg' ? jpegOrientation(bytes) : 1;
  const options = { type, orientation, steps: STEPS, max_bytes: MAX_COPY_BYTES };
  const copy = await THREADS.read(bytes, { ...options, max_memory: MAX_MEMORY }, limits);
  if (!copy.ok) return { ...copy, about };
  const data = Buffer.from(copy.data).toString('base64');
  const image = { media_type: 'image/jpeg', data } as const;
  return {
    ok: true,
    is_copy: true,
    image,
    about: aboutImage('image/jpeg', copy.data.length, copy),
  };
}
