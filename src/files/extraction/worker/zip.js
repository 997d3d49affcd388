import { posix } from 'node:path';
import { inflateRawSync } from 'node:zlib';

const IS_ENCRYPTED = 1;

export class PasswordNeeded extends Error {}

/**
 * The name of an entry as the format means it, which knows no case. Programs write `\`, `./`, and
 * a `/` at the beginning, too.
 */
export function partName(name) {
  return posix.resolve('/', name.replaceAll('\\', '/')).slice(1).toLowerCase();
}

/**
 * The entries of a zip file whose names are wanted, by `partName`. Inflates all entries, whatever
 * sizes they claim.
 * @throws RangeError if they have more than `limit` bytes; `PasswordNeeded`
 */
export function readZip(buffer, { limit, wanted }) {
  const found = new Map();
  let left = limit;
  const end = buffer.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0) throw new Error('It has no directory.');
  const count = buffer.readUInt16LE(end + 10);
  for (let at = buffer.readUInt32LE(end + 16), n = 0; n < count; n++) {
    if (buffer.readUInt16LE(at + 8) & IS_ENCRYPTED) throw new PasswordNeeded();
    const method = buffer.readUInt16LE(at + 10);
    const size = buffer.readUInt32LE(at + 20);
    const lengths = [28, 30, 32].map((field) => buffer.readUInt16LE(at + field));
    const name = partName(buffer.toString('utf8', at + 46, at + 46 + lengths[0]));
    const local = buffer.readUInt32LE(at + 42);
    const names = buffer.readUInt16LE(local + 26) + buffer.readUInt16LE(local + 28);
    const packed = buffer.subarray(local + 30 + names, local + 30 + names + size);
    const inflated = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: left });
    left -= inflated.length;
    if (left <= 0) throw new RangeError('It unpacks to too much.');
    if (wanted.test(name)) found.set(name, inflated);
    at += 46 + lengths[0] + lengths[1] + lengths[2];
  }
  return found;
}
