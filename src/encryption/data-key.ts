import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { AppError } from '../kernel/app-error.js';
import { dataKeyOf, SEAL } from './sealed-text.js';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MAC = 'hmac:';
const MAC_KEY_BYTES = 32;

/**
 * The place of a text, such as interaction id, seq and field: a text that is moved to another place
 * can't be opened there. Ids and names without line breaks.
 */
export type Place = readonly (string | number)[];

/** A key that encrypts texts. It is in memory only; `WrappedKey` is its saved form. */
export class DataKey {
  /** @param id the uid of a chat, or `tenantKeyId` */
  constructor(
    readonly id: string,
    private readonly key: KeyObject,
  ) {}

  /** Encrypts a text for a place. The result names the key. */
  seal(text: string, place: Place): string {
    const bytes = encrypt(this.key, Buffer.from(text), this.context(place));
    return `${SEAL}${this.id}:${bytes.toString('base64')}`;
  }

  /** @throws AppError `decryption_failed` for a text that was changed, or is from another place */
  open(sealed: string, place: Place): string {
    if (dataKeyOf(sealed) !== this.id) throw decryptionFailed(place);
    const bytes = Buffer.from(sealed.slice(SEAL.length + this.id.length + 1), 'base64');
    try {
      return decrypt(this.key, bytes, this.context(place)).toString();
    } catch (cause) {
      throw decryptionFailed(place, cause);
    }
  }

  /** Replaces a hash, so that a guess of the hashed text can't be confirmed without the key. */
  mac(hash: string): string {
    if (hash.startsWith(MAC)) return hash;
    const key = Buffer.from(hkdfSync('sha256', this.key, '', 'parley mac', MAC_KEY_BYTES));
    return MAC + createHmac('sha256', key).update(hash).digest('hex');
  }

  /** A key for one purpose; only the same salt and purpose give it again. */
  derive(salt: Buffer, purpose: string): KeyObject {
    const bytes = hkdfSync('sha256', this.key, salt, `${this.id}\n${purpose}`, 32);
    return createSecretKey(Buffer.from(bytes));
  }

  private context(place: Place): Buffer {
    return Buffer.from([SEAL, this.id, ...place].join('\n'));
  }
}

/** The length in bytes of the text that was sealed. */
export function sealedLength(sealed: string): number {
  const base64 = sealed.slice(sealed.lastIndexOf(':') + 1);
  return Buffer.byteLength(base64, 'base64') - IV_BYTES - TAG_BYTES;
}

/** IV, ciphertext and tag. */
export function encrypt(key: KeyObject, plain: Buffer, context: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(context);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error unless the bytes are from `encrypt` with the same key and context */
export function decrypt(key: KeyObject, bytes: Buffer, context: Buffer): Buffer {
  if (bytes.length < IV_BYTES + TAG_BYTES) throw new Error('The ciphertext is too short.');
  const end = bytes.length - TAG_BYTES;
  const options = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), options);
  decipher.setAAD(context).setAuthTag(bytes.subarray(end));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, end)), decipher.final()]);
}

export function decryptionFailed(place: Place, cause?: unknown): AppError {
  const message = `Saved data can't be decrypted: ${place.join('/')} was changed, moved, or encrypted with another key.`;
  return new AppError('internal', 'decryption_failed', message, { cause });
}
