import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { DataKey } from '../../encryption/data-key.js';
import { decryptionFailed } from '../../encryption/data-key.js';

/**
 * An encrypted file is a header and frames. The header has a mark, the id of the data key, and a
 * salt; from data key, salt and the name of the file follows its own key. Each frame is AES-256-GCM
 * of up to `FRAME` bytes with its number as nonce, in which the last one is marked, so that frames
 * can't be changed, moved, left out or cut off.
 */
const MARK = Buffer.from('PARLEY\u0001\u0001');
const SALT_BYTES = 16;
export const HEADER_BYTES = 128;
const MAX_ID = HEADER_BYTES - MARK.length - SALT_BYTES - 1;
export const FRAME = 64 * 1024;
const TAG_BYTES = 16;
export const SEALED_FRAME = FRAME + TAG_BYTES;
const ALGORITHM = 'aes-256-gcm';

/** @param name of the file: its bytes can't be opened under another one */
export async function* sealFrames(
  source: AsyncIterable<Uint8Array>,
  key: DataKey,
  name: string,
): AsyncGenerator<Buffer> {
  const header = makeHeader(key);
  const fileKey = keyOfFile(key, header, name);
  yield header;
  let number = 0;
  let held: Buffer = Buffer.alloc(0);
  // A full frame is held back until it is known whether it is the last.
  for await (const chunk of source) {
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
    for (; held.length > FRAME; held = held.subarray(FRAME))
      yield seal(fileKey, held.subarray(0, FRAME), nonce(number++, false));
  }
  yield seal(fileKey, held, nonce(number, true));
}

/** The id of the data key. */
export function keyIdIn(header: Buffer, name: string): string {
  const length = header[MARK.length] ?? 0;
  const isWhole = header.length === HEADER_BYTES && length <= MAX_ID;
  if (!isWhole || !header.subarray(0, MARK.length).equals(MARK)) throw decryptionFailed([name]);
  return header.toString('utf8', MARK.length + 1, MARK.length + 1 + length);
}

export interface SealedFile {
  readonly key: DataKey;
  readonly header: Buffer;
  readonly name: string;
  /** Number of the first frame of the source. */
  readonly first: number;
  /** The source may end before the last frame. */
  readonly is_part: boolean;
}

/** @throws AppError `decryption_failed` */
export async function* openFrames(
  source: AsyncIterable<Uint8Array>,
  { key, header, name, first, is_part }: SealedFile,
): AsyncGenerator<Buffer> {
  const fileKey = keyOfFile(key, header, name);
  let number = first;
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
    for (; held.length > SEALED_FRAME; held = held.subarray(SEALED_FRAME)) {
      const opened = open(fileKey, held.subarray(0, SEALED_FRAME), nonce(number++, false));
      if (!opened) throw decryptionFailed([name]);
      yield opened;
    }
  }
  const inside = is_part ? open(fileKey, held, nonce(number, false)) : undefined;
  const last = inside ?? open(fileKey, held, nonce(number, true));
  if (!last) throw decryptionFailed([name]);
  yield last;
}

/** The bytes of a file whose encrypted form has this many. */
export function plainSize(sealed: number): number {
  const frames = Math.ceil((sealed - HEADER_BYTES) / SEALED_FRAME);
  return Math.max(0, sealed - HEADER_BYTES - frames * TAG_BYTES);
}

function makeHeader({ id }: DataKey): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MARK.copy(header);
  if (Buffer.byteLength(id) > MAX_ID) throw new RangeError(`The id ${id} is too long.`);
  header[MARK.length] = header.write(id, MARK.length + 1);
  randomBytes(SALT_BYTES).copy(header, HEADER_BYTES - SALT_BYTES);
  return header;
}

/** Derives a key of its own for each file, so that its frames can be numbered from 0. */
function keyOfFile(key: DataKey, header: Buffer, name: string): KeyObject {
  return key.derive(header, `file\n${name}`);
}

function nonce(number: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(number, 0, 6);
  bytes[11] = isLast ? 1 : 0;
  return bytes;
}

function seal(key: KeyObject, plain: Buffer, iv: Buffer): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined if it was not sealed with this key and nonce. */
function open(key: KeyObject, sealed: Buffer, iv: Buffer): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined;
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(end));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
  } catch {
    return undefined;
  }
}
