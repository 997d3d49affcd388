import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../../access/chat-access.js';
import { InboxService } from '../../../approvals/inbox.service.js';
import type { Principal } from '../../../auth/principal.js';
import { ChatsService } from '../../../chats/chats.service.js';
import { checkMessages } from '../../../chats/check-messages.js';
import { Redaction } from '../../../guardrails/redaction/redaction.js';
import type { StartRequest } from '../../../interactions/start/start-request.js';
import { AppError } from '../../../kernel/app-error.js';
import { canonicalJson } from '../../../kernel/json/json.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type { ChatRow } from '../../../persistence/rows/chat-rows.js';
import type { Message } from '../../../protocol/message.js';
import { describeQuestion } from '../../base/describe-question.js';
import { withOwnIds } from './chat-body.js';
import { isTurnOf, turnsOf } from './history-turns.js';
import type { HistoryTurn } from './history-turns.js';
import type { Interaction } from '../../../protocol/wire/interaction.js';

/** Chats of a user that begin with the same message and can be found again. */
const SLOTS = 16;
/** Interactions of a chat that are read to find a history. */
const MAX_READ = 1_000;
/** Characters of JSON of an unknown history, which a new chat keeps. */
const MAX_LENGTH = 2 * 1024 * 1024;

/** Where a message goes. */
export type Place = Pick<StartRequest, 'chat_id' | 'edited_from'>;

/** A question that a message answers. */
export interface OpenQuestion {
  readonly request_id: string;
  readonly interaction_id: string;
}

interface Prepared {
  readonly history: readonly Message[];
  /** Prefix of the ids of the chats that begin with the same messages. */
  readonly name: string;
}

interface ReadChat {
  readonly all: readonly Interaction[];
  readonly head: string | null;
  readonly isBusy: boolean;
}

/** The end of a history in a chat. */
interface Found {
  readonly chat_id: string;
  readonly last: string;
  /** Id of an interaction that follows `last`; undefined: there is none. */
  readonly next: string | undefined;
  readonly isHead: boolean;
}

interface Sought {
  readonly caller: Principal;
  readonly history: readonly Message[];
  /** The new message. */
  readonly last: string;
}

/**
 * Finds the chat that a client's history is of. The ids of chats begin with a digest of the first
 * messages and of the user, too short to tell them, so that few chats are compared: nothing is
 * remembered. What is found is compared as a whole, and is the user's own.
 */
@Injectable()
export class KnownHistories {
  constructor(
    private readonly chats: ChatsService,
    private readonly access: ChatAccess,
    private readonly redaction: Redaction,
    private readonly inbox: InboxService,
  ) {}

  /**
   * The place after the history: in its chat, as a branch if the chat has gone on, or in a new chat
   * that begins with it.
   * @throws AppError as `ChatsService.create`, `checkMessages`
   */
  async placeOf(sought: Sought): Promise<Place> {
    const { caller } = sought;
    const { name, history } = await this.prepare(sought);
    const known = await this.find(caller, name, history);
    return known ?? this.create(caller, name, history);
  }

  /** The question with which the history ends, if it still waits. */
  async findQuestion(sought: Sought): Promise<OpenQuestion | undefined> {
    const { caller } = sought;
    if (sought.history.at(-1)?.role !== 'assistant') return undefined;
    const { name, history } = await this.prepare(sought);
    const { items } = await this.inbox.list(caller, { status: 'pending', limit: 200 });
    for (const { kind, id: request_id, chat_id, interaction_id, ...item } of items) {
      if (kind !== 'input' || !chat_id.startsWith(`${name}-`)) continue;
      const chat = await this.access.findChat(caller, chat_id);
      const turns = chat?.owner === caller.user_id ? restOf(chat, history) : undefined;
      const asked = turns?.at(-1);
      const text = describeQuestion(item['question'], item['options']);
      if (!turns || !asked?.text.endsWith(text)) continue;
      const { all } = await this.read(caller, chat_id);
      const active = all.find(({ id }) => id === interaction_id);
      const parent = findEnd(all, turns.slice(0, -1), null)?.id ?? null;
      if (active?.user_message === asked.user && active.parent_id === parent)
        return { request_id, interaction_id };
    }
    return undefined;
  }

  private async prepare({ caller, last, history: sent }: Sought): Promise<Prepared> {
    const history = await this.redaction.ofMessages(checkMessages(withOwnIds(sent)));
    const { text } = await this.redaction.of({ text: last }, 'text');
    return { history, name: nameOf(caller, [...history, { role: 'user', content: text }]) };
  }

  /**
   * The place after an interaction: a branch if the chat has gone on. Of a chat that is busy the
   * start says so.
   */
  async placeAfter(caller: Principal, { id, chat_id }: InteractionRow): Promise<Place> {
    const { all, head, isBusy } = await this.read(caller, chat_id);
    if (id === head || isBusy) return { chat_id };
    return this.branchFrom(caller, { chat_id, last: id, next: childOf(all, id), isHead: false });
  }

  private async find(
    caller: Principal,
    name: string,
    history: readonly Message[],
  ): Promise<Place | undefined> {
    if (!history.some(({ role }) => role === 'assistant')) return undefined;
    let branch: Found | undefined;
    for (let slot = SLOTS - 1; slot >= 0; slot--) {
      const chat = await this.access.findChat(caller, `${name}-${slot}`);
      const turns = chat?.owner === caller.user_id ? restOf(chat, history) : undefined;
      const found = chat && turns && (await this.findIn(caller, chat, turns));
      if (found?.isHead) return { chat_id: found.chat_id };
      branch = found ?? branch;
    }
    return branch && this.branchFrom(caller, branch);
  }

  /** Not in one that is busy: the conversation goes on in another chat meanwhile. */
  private async findIn(
    caller: Principal,
    { id: chat_id }: ChatRow,
    turns: readonly HistoryTurn[],
  ): Promise<Found | undefined> {
    const { all, head, isBusy } = await this.read(caller, chat_id);
    const last = isBusy ? undefined : findEnd(all, turns, null);
    if (!last) return undefined;
    return { chat_id, last: last.id, next: childOf(all, last.id), isHead: last.id === head };
  }

  private async read(caller: Principal, chat_id: string): Promise<ReadChat> {
    const query = { limit: 200, include: 'superseded' as const };
    const all: Interaction[] = [];
    for (let before: string | undefined; ;) {
      const page = await this.chats.get(caller, chat_id, { ...query, ...(before && { before }) });
      all.push(...page.interactions);
      before = page.next_before ?? undefined;
      const isBusy = page.active_interaction_id !== null;
      if (isBusy || before === undefined || all.length >= MAX_READ)
        return { all, head: page.head_interaction_id, isBusy };
    }
  }

  /** In place of what followed, if anything did. */
  private async branchFrom(caller: Principal, { chat_id, last, next }: Found): Promise<Place> {
    if (next !== undefined) return { chat_id, edited_from: next };
    await this.chats.update(caller, chat_id, { head_interaction_id: last });
    return { chat_id };
  }

  private async create(
    caller: Principal,
    name: string,
    history: readonly Message[],
  ): Promise<Place> {
    if (JSON.stringify(history).length > MAX_LENGTH) throw tooLong();
    const metadata = { openai_history: { messages: history.length, digest: digestOf(history) } };
    const body = { messages: [...history], metadata };
    for (let slot = 0; slot < SLOTS; slot++)
      try {
        const { id: chat_id } = await this.chats.create(caller, { id: `${name}-${slot}`, ...body });
        return { chat_id };
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'chat_exists') throw error;
      }
    const { id: chat_id } = await this.chats.create(caller, body);
    return { chat_id };
  }
}

/** Also of those that other users can't see: they have other names. */
function nameOf({ tenant_id, user_id }: Principal, all: readonly Message[]): string {
  const first = all.slice(0, all.findIndex(({ role }) => role === 'user') + 1);
  return `openai-${digest([tenant_id, user_id, first]).slice(0, 6)}`;
}

/** The turns that followed the messages of the chat; undefined if it has begun with others. */
function restOf(
  { metadata }: ChatRow,
  history: readonly Message[],
): readonly HistoryTurn[] | undefined {
  const begun = metadata['openai_history'] as { messages: number; digest: string } | undefined;
  if (!begun || begun.messages >= history.length) return undefined;
  if (digestOf(history.slice(0, begun.messages)) !== begun.digest) return undefined;
  return turnsOf(history.slice(begun.messages));
}

/** The interaction that ends a path of these turns; of several, one on the active branch. */
function findEnd(
  all: readonly Interaction[],
  [turn, ...rest]: readonly HistoryTurn[],
  parent: string | null,
): Interaction | undefined {
  if (!turn) return undefined;
  const children = all.filter(({ parent_id }) => parent_id === parent);
  const same = children.filter((each) => isTurnOf(turn, each));
  const ordered = same.toSorted((a, b) => Number(!!a.superseded_at) - Number(!!b.superseded_at));
  for (const each of ordered) {
    const end = rest.length === 0 ? each : findEnd(all, rest, each.id);
    if (end) return end;
  }
  return undefined;
}

/** Id of a child interaction that is not queued; undefined: there is none. */
function childOf(all: readonly Interaction[], id: string): string | undefined {
  return all.find(({ parent_id, status }) => parent_id === id && status !== 'QUEUED')?.id;
}

function digestOf(messages: readonly Message[]): string {
  return digest(messages);
}

function digest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

function tooLong(): AppError {
  const message = `messages have more than ${MAX_LENGTH} characters. Send fewer, or let the chat keep them: docs/protocols.md.`;
  return new AppError('too_large', 'body_too_large', message, { extra: { limit: MAX_LENGTH } });
}
