import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Message } from '../../protocol/message.js';
import type { InteractionStore } from '../interaction.store.js';
import type { MessageLists } from './message-lists.js';
import type { InteractionRow } from '../rows/interaction-row.js';

/** Redis is asked because it is sooner than the store. */
const PATIENCE_MS = 250;

type Place = Pick<InteractionRow, 'id' | 'chat_id' | 'parent_id'>;

/** What an interaction has come to: the conversation before it, and what it added. */
export interface Said {
  readonly before: readonly Message[];
  readonly added: readonly Message[];
}

/**
 * What was said in a chat before an interaction: from Redis where it was spoken in lately, else from the store, which has everything. An
 * interaction that has ended never changes, so what is kept up to its end is right for as long as it is kept.
 */
@Injectable()
export class ConversationCache implements OnApplicationShutdown {
  constructor(
    private readonly store: Pick<InteractionStore, 'getPreviousState'>,
    private readonly lists?: MessageLists,
    private readonly onError: (error: Error) => void = () => {},
    /** How long Redis is waited for, in milliseconds. */
    private readonly patience_ms = PATIENCE_MS,
  ) {}

  async read({ id, chat_id, parent_id }: Place): Promise<readonly Message[]> {
    if (parent_id === null) return [];
    return (await this.find(chat_id, parent_id)) ?? this.store.getPreviousState(id);
  }

  /** The interaction has ended, and is saved. Whoever isn't told reads the store. */
  note(interaction: Place, said: Said): void {
    this.write(interaction, said).catch(this.onError);
  }

  onApplicationShutdown(): void {
    this.lists?.close();
  }

  /** The chat was deleted. Should Redis be away, what it keeps is gone with its time. */
  async forget(chatId: string): Promise<void> {
    await this.lists?.forget(chatId).catch(this.onError);
  }

  /** Only where that is soon: the store has it too. */
  private async find(chatId: string, head: string): Promise<Message[] | undefined> {
    if (!this.lists) return undefined;
    const found = this.lists.find(chatId, head).catch((error: Error) => {
      this.onError(error);
      return undefined;
    });
    return Promise.race([found, this.patience()]);
  }

  /** A process that was busy for as long hears first what has arrived meanwhile. */
  private async patience(): Promise<undefined> {
    await delay(this.patience_ms, undefined, { ref: false });
    await setImmediate();
  }

  private async write({ id, chat_id, parent_id }: Place, { before, added }: Said): Promise<void> {
    if (!this.lists) return;
    const goesOn =
      parent_id !== null &&
      (await this.lists.append(chat_id, parent_id, { head: id, messages: added }));
    if (!goesOn) await this.lists.replace(chat_id, { head: id, messages: [...before, ...added] });
  }
}
