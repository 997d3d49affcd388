import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Message } from '../../protocol/message.js';
import { messagesOf } from '../interaction.store.js';
import type { InteractionStore } from '../interaction.store.js';
import type { MessageLists } from './message-lists.js';
import type { InteractionRow } from '../rows/interaction-row.js';

/** Timeout of a read in milliseconds. The cache is useful only if it is faster than the store. */
const READ_TIMEOUT_MS = 250;

type Place = Pick<InteractionRow, 'id' | 'chat_uid' | 'parent_id'>;

/** The conversation up to the end of an interaction: the messages before it, and those it added. */
export interface Said {
  readonly before: readonly Message[];
  readonly added: readonly Message[];
}

/**
 * Read-through cache of the conversation before an interaction: from Redis if the chat was active
 * recently, else from the store, which has everything. An ended interaction changes only
 * when it is retried, and then the chat is forgotten, so a cached conversation never becomes stale.
 */
@Injectable()
export class ConversationCache implements OnApplicationShutdown {
  constructor(
    private readonly store: Pick<InteractionStore, 'getPreviousState' | 'findFinalState'>,
    private readonly lists?: MessageLists,
    private readonly onError: (error: Error) => void = () => {},
    /** Timeout of Redis, in milliseconds. */
    private readonly timeout_ms = READ_TIMEOUT_MS,
  ) {}

  /** Undefined if the conversation has more than `bytes`, which is more than the cache keeps. */
  async read(
    { id, chat_uid, parent_id }: Place,
    bytes: number,
  ): Promise<readonly Message[] | undefined> {
    if (parent_id === null) return this.store.getPreviousState(id);
    const cached = await this.find(chat_uid, parent_id);
    if (cached) return cached;
    const state = await this.store.findFinalState(parent_id, bytes);
    return state && messagesOf(state);
  }

  /**
   * Caches the conversation of an interaction that has ended and is saved. Processes that miss this
   * read the store.
   */
  note(interaction: Place, said: Said): void {
    this.write(interaction, said).catch(this.onError);
  }

  /**
   * Called when a run of the interaction begins: what is cached up to its end is of an end that the
   * store has lost in a failover.
   */
  async reopen({ id, chat_uid }: Pick<Place, 'id' | 'chat_uid'>): Promise<void> {
    await this.lists?.drop(chat_uid, id).catch(this.onError);
  }

  onApplicationShutdown(): void {
    this.lists?.close();
  }

  /**
   * Called when the chat was deleted, or its head is retried. If Redis is unavailable, its entry
   * expires with the TTL.
   */
  async forget(chatUid: string): Promise<void> {
    await this.lists?.forget(chatUid).catch(this.onError);
  }

  /** Reads Redis, with a short timeout, because the store has the conversation too. */
  private async find(chatUid: string, head: string): Promise<Message[] | undefined> {
    if (!this.lists) return undefined;
    const found = this.lists.find(chatUid, head).catch((error: Error) => {
      this.onError(error);
      return undefined;
    });
    return Promise.race([found, this.timeout()]);
  }

  /**
   * If the process was busy that long, replies that have already arrived are processed before the
   * timeout takes effect.
   */
  private async timeout(): Promise<undefined> {
    await delay(this.timeout_ms, undefined, { ref: false });
    await setImmediate();
  }

  private async write({ id, chat_uid, parent_id }: Place, { before, added }: Said): Promise<void> {
    if (!this.lists) return;
    const goesOn =
      parent_id !== null &&
      (await this.lists.append(chat_uid, parent_id, { head: id, messages: added }));
    if (!goesOn) await this.lists.replace(chat_uid, { head: id, messages: [...before, ...added] });
  }
}
