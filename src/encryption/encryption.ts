import type { DataKeys } from './data-keys.js';

/**
 * Encryption at rest, for what keeps data outside of the stores: sealed with the key of the chat
 * (`keys.ofChat`), or, if it belongs to no chat, of the tenant. Undefined: encryption is off.
 */
export class Encryption {
  constructor(readonly keys: DataKeys | undefined) {}
}
