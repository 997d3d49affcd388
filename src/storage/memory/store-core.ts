import type { InteractionLog } from './interaction-log.js';
import type { KeyedMutex } from '../../kernel/keyed-mutex.js';
import type { StoreIndex } from './store-index.js';

/** The way to a log: one writer at a time per chat, and nobody trips over a chat that is being deleted. */
export class LogGate {
  constructor(
    private readonly index: StoreIndex,
    private readonly mutex: KeyedMutex,
  ) {}

  /** Answers undefined if there is no such interaction, or not any more when its turn comes. */
  async write<T>(
    interactionId: string,
    task: (log: InteractionLog) => Promise<T>,
  ): Promise<T | undefined> {
    const log = this.index.findLog(interactionId);
    if (!log) return undefined;
    return this.mutex.run(log.known.chat_id, () => (this.isThere(log) ? task(log) : undefined));
  }

  /** Doesn't wait for writers. Answers undefined if there is no such interaction, or not any more. */
  async read<T>(
    interactionId: string,
    task: (log: InteractionLog) => Promise<T>,
  ): Promise<T | undefined> {
    const log = this.index.findLog(interactionId);
    if (!log) return undefined;
    try {
      return await task(log);
    } catch (error) {
      if (!this.isThere(log)) return undefined;
      throw error;
    }
  }

  private isThere(log: InteractionLog): boolean {
    return this.index.findLog(log.id) === log;
  }
}
