import type { Secret } from './secret.js';

/** A key of `ENCRYPTION_KEYS`: its secret is the base64 of 32 bytes. */
export interface MasterKey {
  readonly id: string;
  readonly secret: Secret;
}
