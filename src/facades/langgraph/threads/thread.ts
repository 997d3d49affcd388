import { AgentMessages } from '../messages/agent-messages.js';
import { toLcMessages } from '../messages/message.js';
import type { LcMessage } from '../messages/message.js';
import { humanMessage } from './message-ids.js';
import type { Chat } from '../../../protocol/wire/chat.js';
import type { Interaction } from '../../../protocol/wire/interaction.js';

/** Characters of JSON that the messages of a state may have: the newest that fit. */
const MAX_LENGTH = 512 * 1024;

/** The messages of an interaction, and their length as JSON. */
interface Said {
  readonly human: LcMessage;
  readonly answers: readonly LcMessage[];
  readonly length: number;
}

/** Messages, and their length as JSON. */
interface Given {
  readonly messages: readonly LcMessage[];
  readonly length: number;
}

/** A chat as a thread: its interactions, as far as they were read, and what they say. */
export class Thread {
  private readonly byId = new Map<string, Interaction>();
  private readonly said = new Map<string, Said>();
  private readGiven: Given | undefined;
  /** True once nothing older is left to read. */
  isWhole = false;

  /** @param chat without its interactions */
  constructor(readonly chat: Omit<Chat, 'interactions' | 'next_before'>) {}

  get id(): string {
    return this.chat.id;
  }

  /** The interaction at the end of the active branch; undefined: none has begun. */
  get head(): Interaction | undefined {
    const { active_interaction_id, head_interaction_id } = this.chat;
    return this.find(active_interaction_id ?? head_interaction_id);
  }

  /** The interactions that have been read. */
  get interactions(): readonly Interaction[] {
    return [...this.byId.values()];
  }

  /** A queued interaction is none of the thread yet. */
  add(interaction: Interaction): void {
    if (interaction.status !== 'QUEUED') this.byId.set(interaction.id, interaction);
  }

  find(id: string | null | undefined): Interaction | undefined {
    return typeof id === 'string' ? this.byId.get(id) : undefined;
  }

  childrenOf(parent: string | null): Interaction[] {
    return this.interactions.filter(({ parent_id }) => parent_id === parent);
  }

  /** The interaction and those that it follows, the first first. */
  chainTo(last: Interaction | undefined): Interaction[] {
    const chain: Interaction[] = [];
    for (let at = last; at && chain.length < this.byId.size; at = this.find(at.parent_id))
      chain.unshift(at);
    return chain;
  }

  /**
   * The messages of a branch, the newest that fit; of the last interaction all, or the message that
   * began it.
   */
  messagesTo(last: Interaction | undefined, { isInput = false } = {}): LcMessage[] {
    const messages: LcMessage[] = [];
    let left = MAX_LENGTH;
    const chain = this.chainTo(last);
    for (const each of chain.toReversed()) {
      const { human, answers, length } = this.saidIn(each);
      left -= length;
      if (left < 0 && messages.length > 0) return messages;
      messages.unshift(human, ...(isInput && each === last ? [] : answers));
    }
    const isWhole = (chain[0]?.parent_id ?? null) === null;
    if (!isWhole || this.given.length > left) return messages;
    return [...this.given.messages, ...messages];
  }

  /** The messages that the chat began with. */
  private get given(): Given {
    if (!this.readGiven) {
      const messages = toLcMessages(this.chat.messages, (at) => `${this.id}.${at}`);
      this.readGiven = { messages, length: JSON.stringify(messages).length };
    }
    return this.readGiven;
  }

  /** True if a branch was read as far as its messages are shown. */
  hasAllOf(last: Interaction | undefined): boolean {
    const chain = this.chainTo(last);
    const length = chain.reduce((sum, each) => sum + this.saidIn(each).length, 0);
    return length > MAX_LENGTH || (chain.length > 0 && chain[0]!.parent_id === null);
  }

  /** Its events, all of them, where `agent_events` is cut. */
  saidIn(interaction: Interaction, events = interaction.agent_events): Said {
    const known = this.said.get(interaction.id);
    if (known) return known;
    const messages = new AgentMessages(interaction.id, interaction.agent_id);
    for (const event of events) messages.take(event);
    const human = humanMessage(interaction);
    const answers = messages.toMessages();
    const said = { human, answers, length: JSON.stringify([human, ...answers]).length };
    this.said.set(interaction.id, said);
    return said;
  }
}
