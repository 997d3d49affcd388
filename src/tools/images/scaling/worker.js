// Entry point of the worker thread that makes a smaller JPEG of one image. Plain JavaScript: a
// worker loads it without a build step. The image is hostile: the caller has read its size from
// the header, the thread has a limit of time, and `boundMemory` limits what a codec takes.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

const { bytes, type, orientation, steps, max_bytes, max_memory } = workerData;
const packages = createRequire(import.meta.url);
const DECODERS = {
  'image/jpeg': [
    () => import('@jsquash/jpeg/decode.js'),
    '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
  ],
  'image/png': [
    () => import('@jsquash/png/decode.js'),
    '@jsquash/png/codec/pkg/squoosh_png_bg.wasm',
  ],
  'image/webp': [() => import('@jsquash/webp/decode.js'), '@jsquash/webp/codec/dec/webp_dec.wasm'],
};
const ENCODER = [
  () => import('@jsquash/jpeg/encode.js'),
  '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm',
];
/** A codec needed more memory than allowed; it reports that as any other error. */
let wasRefused = false;

parentPort.postMessage(await makeCopy().catch(toFault));

function toFault() {
  return { ok: false, fault: wasRefused ? 'takes too much memory to read' : 'is damaged' };
}

async function makeCopy() {
  boundMemory();
  let picture = turned(await decode(steps[0].side));
  const encode = await load(ENCODER);
  for (const { side, quality } of steps) {
    picture = shrunk(picture, side);
    const data = new Uint8Array(await encode(picture, { quality }));
    const { width, height } = picture;
    if (data.length <= max_bytes) return { ok: true, data, width, height };
  }
  return toFault();
}

/** Decoders hand their pixels to `ImageData`. They are large: it reads them where they are. */
async function decode(side) {
  if (type !== 'image/png') globalThis.Uint8ClampedArray = asItIs;
  globalThis.ImageData = function (data, width, height) {
    return shrunk({ data, width, height }, side);
  };
  return (await load(DECODERS[type]))(type === 'image/png' ? withoutMetadata(bytes) : bytes);
}

/** Instead of a copy of the decoder's memory. */
function asItIs(view) {
  return view;
}

/** PNG specification, 5.4: critical chunks have a capital. The decoder refuses large others. */
function withoutMetadata(file) {
  const png = Buffer.from(file.buffer);
  const kept = [png.subarray(0, 8)];
  for (let at = 8, end; at + 12 <= png.length; at = end) {
    end = at + 12 + png.readUInt32BE(at);
    const name = png.toString('latin1', at + 4, at + 8);
    if (name === 'tRNS' || name < 'a') kept.push(png.subarray(at, end));
    if (name === 'IEND') break;
  }
  return Buffer.concat(kept);
}

async function load([importCode, binary]) {
  const { init, default: codec } = await importCode();
  await init(new WebAssembly.Module(readFileSync(packages.resolve(binary))));
  return codec;
}

/** A picture whose longer side is at most this. A pixel is the mean of those under it, on white. */
function shrunk({ data, width: fromWidth, height: fromHeight }, side) {
  const ratio = Math.max(1, fromWidth / side, fromHeight / side);
  const width = Math.max(1, Math.round(fromWidth / ratio));
  const height = Math.max(1, Math.round(fromHeight / ratio));
  const [across, down] = [fromWidth / width, fromHeight / height];
  const result = new Uint8Array(width * height * 4);
  const sums = new Float64Array(width * 4); // of a row: red, green, blue, how much is opaque
  for (let y = 0, at = 0; y < height; y++) {
    sums.fill(0);
    const bottom = Math.min(fromHeight, (y + 1) * down);
    for (let row = Math.floor(y * down); row < bottom; row++) {
      const tall = Math.min(row + 1, bottom) - Math.max(row, y * down);
      for (let x = 0, sum = 0; x < width; x++, sum += 4) {
        const right = Math.min(fromWidth, (x + 1) * across);
        for (let column = Math.floor(x * across); column < right; column++) {
          const wide = Math.min(column + 1, right) - Math.max(column, x * across);
          const from = (row * fromWidth + column) * 4;
          const opaque = (tall * wide * data[from + 3]) / 255;
          sums[sum] += opaque * data[from];
          sums[sum + 1] += opaque * data[from + 1];
          sums[sum + 2] += opaque * data[from + 2];
          sums[sum + 3] += opaque;
        }
      }
    }
    for (let sum = 0; sum < sums.length; sum += 4, at += 4) {
      const white = 255 * (across * down - sums[sum + 3]);
      for (let color = 0; color < 3; color++)
        result[at + color] = Math.round((sums[sum + color] + white) / (across * down));
      result[at + 3] = 255;
    }
  }
  return { data: result, width, height };
}

/** Turns the pixels as the camera was held. EXIF 2.3, 4.6.4 A. */
function turned({ data, width, height }) {
  const isAcross = orientation > 4;
  const flipsColumns = [2, 3, 7, 8].includes(orientation);
  const flipsRows = [3, 4, 6, 7].includes(orientation);
  const pixels = new Uint32Array(data.buffer);
  const result = new Uint32Array(pixels.length);
  const size = isAcross ? { width: height, height: width } : { width, height };
  for (let y = 0, at = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++, at++) {
      const [column, row] = isAcross ? [y, x] : [x, y];
      const from = (flipsRows ? height - 1 - row : row) * width;
      result[at] = pixels[from + (flipsColumns ? width - 1 - column : column)];
    }
  return { data: new Uint8Array(result.buffer), ...size };
}

/** The heap limit of a thread does not count the memory of WebAssembly. */
function boundMemory() {
  const { prototype } = WebAssembly.Memory;
  prototype.grow = new Proxy(Reflect.get(prototype, 'grow'), {
    apply(grow, memory, [pages]) {
      wasRefused = memory.buffer.byteLength + pages * 65_536 > max_memory;
      if (wasRefused) throw new RangeError('It takes too much memory.');
      return Reflect.apply(grow, memory, [pages]);
    },
  });
}
