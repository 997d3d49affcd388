import type { ApiClient } from '../../support/client/api-client.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

/** A chat, and what is active in it. */
export type InteractionRef = Pick<Interaction, 'chat_id' | 'id'>;

/** The client of one protocol; each request may reach another process of the server. */
export interface ProtocolClient {
  /**
   * Sends a message to a chat, which is made unless it exists. Gives the text of the answer, or
   * undefined if the protocol ends the request when the interaction waits for a decision.
   */
  send(chat: string, message: string): Promise<string | undefined>;
  /** Finds the one approval that the interaction waits for, and approves it. */
  approve?(of: InteractionRef): Promise<unknown>;
  /** Closes connections that are open. */
  close?(): Promise<void>;
}

export interface Protocol {
  readonly name: string;
  /** Why it can't decide what other clients have begun, as `docs/protocols.md` has it. */
  readonly cannotDecide?: string;
  /** It can decide what it has begun itself nevertheless. */
  readonly decidesOwn?: true;
  /** `api` has the address and the credential. */
  connect(api: ApiClient): ProtocolClient;
}

/** The credential of an API client, for clients that want it apart. */
export function keyOf({ headers }: ApiClient): string | undefined {
  return headers['authorization']?.replace('Bearer ', '');
}
