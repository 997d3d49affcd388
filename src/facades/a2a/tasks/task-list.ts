import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ChatAccess } from '../../../access/chat-access.js';
import type { Principal } from '../../../auth/principal.js';
import { formatChatCursor } from '../../../chats/chat-cursor.js';
import { ChatsService } from '../../../chats/chats.service.js';
import { MAX_PAGE_BYTES, jsonBytes } from '../../../kernel/page-cursor.js';
import { AppError } from '../../../kernel/app-error.js';
import { isFinal, isWaiting } from '../../../protocol/interaction.js';
import { invalid, parseWith, refuseTenant } from '../message-body.js';
import type { TaskAgent } from '../sends.js';
import { FINAL_STATES } from './task-projection.js';
import { Tasks } from './tasks.js';
import type { Task, TaskState } from '../wire.js';
import type { Interaction } from '../../../protocol/wire/interaction.js';

/** Number of interactions of a chat, or of chats of the list, that are read at once. */
const SLICE = 20;
/** Interactions and ends of chats that are looked at for a page. */
const MAX_EXAMINED = 200;
/** Records that are read for a page, but for one task. */
const MAX_RECORDS = 20_000;
const TOKEN = /^([A-Za-z0-9_-]{0,64}) ([A-Za-z0-9_-]{0,64}) ([A-Za-z0-9_-]{0,1000})$/;
const CHAT_ID = /^[A-Za-z0-9_-]{1,64}$/;

const left = (value: unknown): unknown => (value === '' || value === null ? undefined : value);
/** Values of an enum that is not set, in ProtoJSON and, the last one, in `@a2a-js/sdk`. */
const NO_STATES: readonly unknown[] = ['TASK_STATE_UNSPECIFIED', 0, '0', 'UNRECOGNIZED'];
const state = (value: unknown): unknown => (NO_STATES.includes(value) ? undefined : left(value));
/** Queries have numbers as texts, and so may ProtoJSON. */
const number = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : left(value);
const flag = (value: unknown): unknown =>
  value === 'true' ? true : value === 'false' ? false : left(value);

/** A parameter of lists, and of requests for a single task. */
export const historyLength = z.preprocess(
  number,
  z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional(),
);

const QUERY = z.looseObject({
  tenant: z.unknown().optional(),
  contextId: z.preprocess(left, z.string().optional()),
  status: z.preprocess(
    state,
    z
      .string()
      .regex(/^TASK_STATE_[A-Z_]{1,20}$/)
      .optional(),
  ),
  pageSize: z.preprocess(number, z.int().min(1).max(100).default(50)),
  pageToken: z.preprocess(left, z.string().max(2_000).optional()),
  historyLength,
  statusTimestampAfter: z.preprocess(left, z.string().max(64).optional()),
  includeArtifacts: z.preprocess(flag, z.boolean().default(false)),
});
type Query = z.output<typeof QUERY>;

export interface TaskPage {
  readonly tasks: readonly Task[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  readonly pageSize: number;
  /** Number of tasks on this page: the server does not count the others. */
  readonly totalSize: number;
}

/** A place in the list; texts are empty where there is none. */
interface Place {
  /** The chat that is read, and the interaction before which it goes on. */
  readonly chat: string;
  readonly before: string;
  /** Cursor in the list of chats: it goes on after the chat. */
  readonly cursor: string;
}

/** Undefined: the end of a chat. */
interface Found {
  readonly interaction?: Interaction;
  readonly place: Place;
}

/**
 * Lists tasks. Pages go by the changes of chats and in each from the newest task; a page has its
 * tasks by the time of their status, the newest first.
 */
@Injectable()
export class TaskList {
  constructor(
    private readonly tasks: Tasks,
    private readonly chats: ChatsService,
    private readonly access: ChatAccess,
  ) {}

  /** A page may have fewer tasks than its size, and still a next one. */
  async list(caller: Principal, agent: TaskAgent, given: unknown): Promise<TaskPage> {
    const query = parseWith(QUERY, given);
    refuseTenant(query.tenant);
    const since = readTime(query.statusTimestampAfter);
    const start = query.pageToken === undefined ? firstPlace(query) : readToken(query.pageToken);
    const tasks: Task[] = [];
    let [place, examined, records, bytes] = [start, 0, 0, 0];
    let nextPageToken = '';
    for await (const found of this.walk(caller, start, query.contextId)) {
      const { interaction } = found;
      const isFull = tasks.length >= query.pageSize || examined >= MAX_EXAMINED;
      if (isFull || records >= MAX_RECORDS || bytes >= MAX_PAGE_BYTES) {
        nextPageToken = formatToken(place);
        break;
      }
      examined++;
      ({ place } = found);
      if (!interaction || !mayFit(interaction, agent, query)) continue;
      records += interaction.last_seq;
      const task = await this.show(caller, interaction, query);
      if (!task || !fits(task, query, since)) continue;
      bytes += jsonBytes(task);
      tasks.push(task);
    }
    const { pageSize } = query;
    return { tasks: tasks.toSorted(byTime), nextPageToken, pageSize, totalSize: tasks.length };
  }

  private async *walk(
    caller: Principal,
    start: Place,
    contextId: string | undefined,
  ): AsyncGenerator<Found> {
    if (start.chat !== '') yield* this.walkChat(caller, start);
    if (contextId !== undefined) return;
    let cursor: string | null = start.cursor;
    do {
      const query = { limit: SLICE, order: 'updated' as const, ...(cursor && { cursor }) };
      const page = await this.chats.list(caller, query);
      for (const chat of page.items) {
        const place = { chat: chat.id, before: '', cursor: formatChatCursor(chat, 'updated') };
        yield* this.walkChat(caller, place);
        yield { place: { ...place, chat: '' } };
      }
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  private async *walkChat(caller: Principal, place: Place): AsyncGenerator<Found> {
    if (!(await this.access.findChat(caller, place.chat))) return;
    let before: string | null = place.before;
    do {
      const page = { limit: SLICE, include: 'superseded' as const, ...(before && { before }) };
      const { interactions, next_before } = await this.chats.get(caller, place.chat, page);
      for (const interaction of interactions.toReversed())
        yield { interaction, place: { ...place, before: interaction.id } };
      before = next_before;
    } while (before !== null);
  }

  /** Undefined if it was deleted meanwhile. */
  private async show(
    caller: Principal,
    { chat_id, id }: Interaction,
    query: Query,
  ): Promise<Task | undefined> {
    try {
      const row = await this.access.interaction(caller, chat_id, id);
      const { artifacts, ...task } = await this.tasks.show(caller, row, query.historyLength);
      return query.includeArtifacts && artifacts ? { ...task, artifacts } : task;
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not_found') return undefined;
      throw error;
    }
  }
}

/** False if its log need not be read. */
function mayFit(
  { agent, status: own }: Interaction,
  { agent: wanted }: TaskAgent,
  { status }: Query,
): boolean {
  if (agent !== wanted) return false;
  return status === undefined || statesOf(own).includes(status as TaskState);
}

function fits({ status: own }: Task, { status }: Query, since: number): boolean {
  return (status === undefined || own.state === status) && Date.parse(own.timestamp) >= since;
}

function byTime({ status: one }: Task, { status: other }: Task): number {
  return Date.parse(other.timestamp) - Date.parse(one.timestamp);
}

/** Something may go on while a request is open. */
function statesOf(status: Interaction['status']): readonly TaskState[] {
  if (isFinal(status)) return [FINAL_STATES[status]];
  if (isWaiting(status)) return ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_WORKING'];
  return [status === 'QUEUED' ? 'TASK_STATE_SUBMITTED' : 'TASK_STATE_WORKING'];
}

function readTime(text: string | undefined): number {
  const time = text === undefined ? -Infinity : Date.parse(text);
  if (Number.isNaN(time)) throw invalid('statusTimestampAfter', 'must be a time: ISO 8601');
  return time;
}

/** A context that is no chat has no tasks. */
function firstPlace({ contextId = '' }: Query): Place {
  return { chat: CHAT_ID.test(contextId) ? contextId : '', before: '', cursor: '' };
}

function formatToken({ chat, before, cursor }: Place): string {
  return Buffer.from(`${chat} ${before} ${cursor}`).toString('base64url');
}

function readToken(token: string): Place {
  const found = TOKEN.exec(Buffer.from(token, 'base64url').toString());
  if (!found) throw invalid('pageToken', 'must be a nextPageToken from this server');
  const [, chat = '', before = '', cursor = ''] = found;
  return { chat, before, cursor };
}
