import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const SHAPE = /^parley_([0-9a-f]{24})_([0-9a-f]{64})$/;

/** A key as a client has it: `parley_<id>_<secret>`, with a secret of 256 bits. */
export interface KeyText {
  readonly id: string;
  readonly secret: string;
}

export function makeKey(): KeyText & { readonly text: string } {
  const id = randomBytes(12).toString('hex');
  const secret = randomBytes(32).toString('hex');
  return { id, secret, text: `parley_${id}_${secret}` };
}

/** Undefined for a text that is no key. */
export function parseKey(text: string): KeyText | undefined {
  const [, id, secret] = SHAPE.exec(text) ?? [];
  return id && secret ? { id, secret } : undefined;
}

/** SHA-256 in hex; a random secret needs no slow hash. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** In constant time. */
export function isSecret(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(hash));
}
