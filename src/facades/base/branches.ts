import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../access/chat-access.js';
import type { Principal } from '../../auth/principal.js';
import { ChatsService } from '../../chats/chats.service.js';
import { isObject } from '../../kernel/json/json.js';
import { AppError } from '../../kernel/app-error.js';
import type { Message } from '../../protocol/message.js';
import type { Interaction } from '../../protocol/wire/interaction.js';

const MAX_ID = 200;
/** Interactions of a page, and pages that are searched for a message. */
const PAGE = 50;
const MAX_PAGES = 20;
/** Limits of the messages that a chat starts from, within those of `POST /chats`. */
const MAX_MESSAGES = 1_000;
const MAX_LENGTH = 256 * 1024;

type Known = Pick<Interaction, 'id' | 'parent_id' | 'superseded_at' | 'metadata'>;

/** A message as a client has it. */
export interface ClientMessage {
  readonly id: string | undefined;
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
  /** The interaction that it is a part of, if its id says so. */
  readonly interaction_id: string | undefined;
}

/** A message that a client sends with the conversation before it. */
export interface PlacedMessage {
  readonly chat_id: string;
  /** Key of `metadata` under which an interaction has the id that the client gave its message. */
  readonly key: string;
  readonly message: Pick<ClientMessage, 'id'>;
  readonly history: readonly ClientMessage[];
  /** The interaction to replace, if the client names it. */
  readonly regenerated: string | undefined;
  /** True if the message may be one that the chat has. */
  readonly isEdit: boolean;
}

/** Where the message belongs; undefined: after the head of the chat. */
export interface Place {
  /** The interaction whose message it replaces. */
  readonly edited_from: string;
}

/**
 * Finds where a message belongs in its chat, by the ids of the messages before it: that of an
 * answer names its interaction, and the interaction has that of the user's message.
 */
@Injectable()
export class Branches {
  constructor(
    private readonly access: ChatAccess,
    private readonly chats: ChatsService,
  ) {}

  /** Makes the chat if it is new and the client has a conversation before the message. */
  async place(caller: Principal, asked: PlacedMessage): Promise<Place | undefined> {
    const { chat_id, history, isEdit } = asked;
    const chat = await this.access.findChat(caller, chat_id);
    if (!chat) return this.create(caller, asked);
    const { head_interaction_id: head } = chat;
    const isAppended = !isEdit && (history.length === 0 || history.at(-1)?.interaction_id === head);
    if (isAppended || head === null) return undefined;
    return this.search(caller, asked, head);
  }

  private async search(
    caller: Principal,
    asked: PlacedMessage,
    head: string,
  ): Promise<Place | undefined> {
    const known: Known[] = [];
    let before: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page = { limit: PAGE, include: 'superseded', ...(before && { before }) } as const;
      const { interactions, next_before } = await this.chats.get(caller, asked.chat_id, page);
      known.push(...interactions.toReversed());
      const found = placeIn(asked, known, { head, isAll: next_before === null });
      if (found === 'head') return undefined;
      if (found?.edited_from !== undefined) return found;
      if (next_before === null) break;
      before = next_before;
    }
    return this.switchTo(caller, asked, known);
  }

  /** To the end of another branch that the client has; else the message goes to the head. */
  private async switchTo(
    caller: Principal,
    { chat_id, history, key }: PlacedMessage,
    known: readonly Known[],
  ): Promise<undefined> {
    const last = lastKnown({ history, key }, known);
    if (last) await this.chats.update(caller, chat_id, { head_interaction_id: last.id });
  }

  private async create(
    caller: Principal,
    { chat_id: id, history }: PlacedMessage,
  ): Promise<undefined> {
    const messages = toMessages(history);
    if (messages.length === 0) return;
    try {
      await this.chats.create(caller, { id, messages });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'chat_exists') throw error;
    }
  }
}

/** The part of an interaction's metadata that names the client's message. */
export function namedMessage(
  { key, message: { id } }: Pick<PlacedMessage, 'key' | 'message'>,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return id !== undefined && id.length <= MAX_ID ? { [key]: { message_id: id, ...more } } : {};
}

/**
 * `head`: it follows the head of the chat; undefined: there may be more to know.
 * @param known interactions, the newest first
 */
export function placeIn(
  asked: Pick<PlacedMessage, 'key' | 'message' | 'history' | 'regenerated'>,
  known: readonly Known[],
  { head, isAll }: { readonly head: string; readonly isAll: boolean },
): Place | 'head' | undefined {
  const { key, message, regenerated } = asked;
  const active = [...known].sort((a, b) => Number(isSuperseded(a)) - Number(isSuperseded(b)));
  const same =
    known.find(({ id }) => id === regenerated) ??
    active.find((each) => messageIdOf(each, key) === message.id && message.id !== undefined);
  if (same) return { edited_from: same.id };
  const last = lastKnown(asked, known);
  if (last?.id === head) return 'head';
  if (!last) return isAll ? 'head' : undefined;
  const next = active.find(({ parent_id }) => parent_id === last.id);
  return next && { edited_from: next.id };
}

/** The interaction of the last message that the chat knows. */
function lastKnown(
  { history, key }: Pick<PlacedMessage, 'history' | 'key'>,
  known: readonly Known[],
): Known | undefined {
  const byId = new Map(known.map((each) => [each.id, each]));
  const byMessage = new Map(
    known.toReversed().map((each) => [messageIdOf(each, key), each] as const),
  );
  const find = ({ id, interaction_id }: ClientMessage): Known | undefined =>
    (interaction_id === undefined ? undefined : byId.get(interaction_id)) ??
    (id === undefined ? undefined : byMessage.get(id));
  const last = history.findLast((each) => find(each));
  return last && find(last);
}

/** The id that the client gave the message of the interaction. */
export function messageIdOf(
  { metadata }: Pick<Interaction, 'metadata'>,
  key: string,
): string | undefined {
  const named = metadata[key];
  const id = isObject(named) ? named['message_id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

function isSuperseded({ superseded_at }: Known): boolean {
  return superseded_at !== null;
}

/** Texts only, the latest that fit. */
function toMessages(history: readonly ClientMessage[]): Message[] {
  const messages: Message[] = [];
  let left = MAX_LENGTH;
  for (const { role, text: content } of history.toReversed().slice(0, MAX_MESSAGES)) {
    left -= content.length;
    if (left < 0) break;
    if (content !== '') messages.unshift({ role, content });
  }
  return messages;
}
