import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { crc32, deflateSync } from 'node:zlib';
import decode, { init as initDecoder } from '@jsquash/jpeg/decode.js';
import encode, { init as initEncoder } from '@jsquash/jpeg/encode.js';

const { resolve } = createRequire(import.meta.url);
const CODECS = '@jsquash/jpeg/codec';
const WHITE = 255;

export type Color = 'red' | 'green' | 'blue' | 'white';
type Corners = readonly [topLeft: Color, topRight: Color, bottomLeft: Color, bottomRight: Color];

interface Pixels {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

interface Photo {
  readonly width: number;
  readonly height: number;
  /** EXIF 2.3, 4.6.4 A. */
  readonly orientation?: number;
  /** Of metadata. */
  readonly padding?: number;
}

/** As it is stored, before it is turned. */
export const CORNERS: Corners = ['red', 'green', 'blue', 'white'];

/** A JPEG as a camera writes it: metadata, then noise whose corners have colors. */
export async function makeJpeg({ orientation, padding = 0, ...size }: Photo): Promise<Buffer> {
  await initEncoder({ wasmBinary: readFileSync(resolve(`${CODECS}/enc/mozjpeg_enc.wasm`)) });
  const picture = new Uint8Array(pixels(size));
  const jpeg = Buffer.from(await encode({ ...size, data: picture }, { quality: 95 }));
  const exif = orientation === undefined ? [] : [segment(0xe1, exifOf(orientation))];
  const comments = Array.from({ length: Math.ceil(padding / 65_000) }, () =>
    segment(0xfe, Buffer.alloc(65_000)),
  );
  return Buffer.concat([jpeg.subarray(0, 2), ...exif, ...comments, jpeg.subarray(2)]);
}

/** A PNG of noise, nearly as large as its pixels, whose corners have colors. */
export function makePng(size: Pick<Pixels, 'width' | 'height'>, opacity = 255): Buffer {
  const { width, height } = size;
  const data = pixels(size, opacity);
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.alloc(1), data.subarray(y * width * 4, (y + 1) * width * 4)]),
  );
  const header = Buffer.from('00000000000000000806000000', 'hex');
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The size of a JPEG in base64, and the colors of its corners. */
export async function look(data: string) {
  await initDecoder({ wasmBinary: readFileSync(resolve(`${CODECS}/dec/mozjpeg_dec.wasm`)) });
  const jpeg = new Uint8Array(Buffer.from(data, 'base64'));
  const picture = (await decode(jpeg.buffer)) as Pixels;
  const { width, height } = picture;
  const corner = (x: number, y: number) => colorAt(picture, Math.floor(x), Math.floor(y));
  const [left, right, top, bottom] = [width / 4, (width * 3) / 4, height / 4, (height * 3) / 4];
  const corners = [
    ...[corner(left, top), corner(right, top)],
    ...[corner(left, bottom), corner(right, bottom)],
  ];
  return { width, height, corners };
}

/** Colors of 200 or 0 a channel, and noise of up to 55. */
function pixels({ width, height }: Pick<Pixels, 'width' | 'height'>, opacity = 255): Buffer {
  const data = Buffer.alloc(width * height * 4, opacity);
  let random = 1;
  for (let at = 0; at < data.length; at++) {
    const channel = at % 4;
    if (channel === 3) continue;
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    const pixel = (at - channel) / 4;
    const isRight = pixel % width >= width / 2;
    const isBottom = pixel >= (width * height) / 2;
    const color = CORNERS[(isRight ? 1 : 0) + (isBottom ? 2 : 0)]!;
    data[at] = (lit(color, channel) ? 200 : 0) + (random >>> 24) * (55 / WHITE);
  }
  return data;
}

function lit(color: Color, channel: number): boolean {
  return color === 'white' || ['red', 'green', 'blue'][channel] === color;
}

function colorAt({ data, width }: Pixels, x: number, y: number): Color | undefined {
  const at = (y * width + x) * 4;
  const isLit = [...data.subarray(at, at + 3)].map((value) => value > 128);
  return CORNERS.find((color) => isLit.every((each, channel) => each === lit(color, channel)));
}

/** A TIFF of little-endian numbers, with one entry. */
function exifOf(orientation: number): Buffer {
  const exif = Buffer.from('45786966000049492a00080000000100120103000100000000000000', 'hex');
  exif.writeUInt16LE(orientation, 24);
  return Buffer.concat([exif, Buffer.alloc(4)]);
}

function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
