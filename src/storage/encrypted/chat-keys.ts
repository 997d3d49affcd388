import type { DataKey } from '../../encryption/data-key.js';
import type { DataKeys } from '../../encryption/data-keys.js';
import type { InteractionKeys } from '../../encryption/encryption.js';
import { BoundedMap } from '../../kernel/bounded-map.js';
import { ANY_TENANT } from '../../persistence/any-tenant.js';
import type { InteractionStore } from '../../persistence/interaction.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { Keys } from './sealed/sealed-fields.js';

/** Interactions whose chats are kept in memory. */
const CACHE_SIZE = 100_000;

/** The keys of the chats of interactions. */
export class ChatKeys implements InteractionKeys {
  private readonly chats = new BoundedMap<string, string>(CACHE_SIZE);

  constructor(
    readonly data: DataKeys,
    private readonly interactions: Pick<InteractionStore, 'findInteraction'>,
  ) {}

  /** Saves that `ofInteraction` reads the row. */
  note({ id, chat_uid }: Pick<InteractionRow, 'id' | 'chat_uid'>): void {
    this.chats.set(id, chat_uid);
  }

  /** The key if it is in memory, where those of runs stay: they append in an outage, too. */
  peek(interactionId: string): DataKey | undefined {
    const uid = this.chats.get(interactionId);
    if (uid === undefined) return undefined;
    this.chats.set(interactionId, uid);
    return this.data.peek(uid);
  }

  /** Undefined: the interaction does not exist. */
  async ofInteraction(id: string): Promise<DataKey | undefined> {
    const known = this.peek(id);
    if (known) return known;
    const row = await this.interactions.findInteraction(id, ANY_TENANT);
    if (!row) return undefined;
    this.note(row);
    return this.data.ofChat(row.chat_uid);
  }

  /** The keys of these ids; undefined stands for plain text. */
  load(ids: readonly (string | undefined)[]): Promise<Keys> {
    return this.data.load(ids.filter((id) => id !== undefined));
  }
}
