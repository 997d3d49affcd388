import type { DataKey } from './data-key.js';
import type { LiveKeys } from './live-keys.js';
import type { DataKeys } from './data-keys.js';

/** The keys of the chats of interactions; those of runs in this process are in memory. */
export interface InteractionKeys {
  /** Undefined: the interaction does not exist. */
  ofInteraction(id: string): Promise<DataKey | undefined>;
}

/**
 * Encryption at rest, for what keeps data outside of the stores: sealed with the key of the chat
 * (`keys.ofChat`), or, if it belongs to no chat, of the tenant. Undefined: encryption is off.
 */
export class Encryption {
  constructor(
    readonly keys: DataKeys | undefined,
    readonly ofInteractions?: InteractionKeys,
    readonly live?: LiveKeys,
  ) {}
}
