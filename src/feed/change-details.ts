import { Injectable } from '@nestjs/common';
import { FileCatalog, toFile } from '../files/file-catalog.js';
import { ANY_TENANT } from '../persistence/any-tenant.js';
import { ChatStore } from '../persistence/chat.store.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { RequestStore } from '../persistence/request.store.js';
import type { ChatState } from '../persistence/rows/chat-state.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { RequestRow } from '../persistence/rows/request-rows.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import { TaskStore } from '../tasks/task-store.js';
import type { FileInfo } from '../protocol/wire/file.js';
import type { Task } from '../protocol/wire/task.js';

/** New files that are told at once. */
export const MAX_FILES = 50;

export interface KnownChat {
  readonly state: ChatState;
  /** Without descriptions; undefined unless the chat has a stream of its own. */
  readonly tasks: readonly Task[] | undefined;
  /** The ids of its newest files, newest first, if it has any and a stream of its own. */
  readonly newest_files?: readonly string[] | undefined;
}

/** A difference between two states of a chat. */
export interface ChatChange {
  readonly uid: string;
  /** Undefined: the chat was not known, or not there. */
  readonly before: KnownChat | undefined;
  /** Undefined: it is deleted. */
  readonly after: KnownChat | undefined;
  /** For chats that were not known: who saw it before. */
  readonly was: Pick<ChatState, 'id' | 'tenant_id' | 'owner' | 'visibility'> | undefined;
  /** Other changes may have been missed. */
  readonly isLate: boolean;
  /** The row, if the chat has a stream of its own. */
  readonly row: ChatRow | undefined;
  readonly opened: readonly RequestRow[];
  readonly settled: readonly RequestRow[];
  /** Ids that are new in the queue, or were changed there; or the first, if others have left. */
  readonly queued: readonly string[];
  readonly interactions: readonly Pick<InteractionRow, 'id' | 'status'>[];
  /** Tasks that people have changed; records tell of the others. */
  readonly tasks: readonly { readonly task: Task; readonly deleted?: true }[];
  readonly files: readonly FileInfo[];
}

export type Difference = Pick<ChatChange, 'uid' | 'before' | 'after' | 'was' | 'isLate'> & {
  /** The chat has a stream of its own. */
  readonly isWatched: boolean;
};

/**
 * Reads what a change is about: once for all readers, who are shown it only if they see the chat.
 */
@Injectable()
export class ChangeDetails {
  constructor(
    private readonly chats: ChatStore,
    private readonly interactions: InteractionStore,
    private readonly requests: RequestStore,
    private readonly boards: TaskStore,
    private readonly catalog: FileCatalog,
  ) {}

  /** Undefined: nothing has changed. */
  async of(difference: Difference): Promise<ChatChange | undefined> {
    const { before, after, was, isWatched, uid } = difference;
    const isEqual = isSame(before, after);
    const tasks = isWatched ? await this.changedTasks(difference) : [];
    const files = isWatched ? await this.newFiles(difference) : [];
    const isGone = !before && !after && was;
    if (isEqual && !isGone) return undefined;
    const [asks, asked] = [after?.state.request_ids ?? [], before?.state.request_ids ?? []];
    const [opened, settled, interactions] = await Promise.all([
      this.findRequests(added(asked, asks)),
      after ? this.findRequests(added(asks, asked)) : [],
      this.changedInteractions(before?.state, after?.state),
    ]);
    const row = isWatched && after ? await this.chats.findChatByUid(uid) : undefined;
    const queued = after ? changedQueue(before?.state, after.state) : [];
    return { ...difference, row, opened, settled, queued, interactions, tasks, files };
  }

  private async findRequests(ids: readonly string[]): Promise<RequestRow[]> {
    const rows = await Promise.all(ids.map((id) => this.requests.findRequest(id, ANY_TENANT)));
    return rows.filter((row) => row !== undefined);
  }

  /** The one that was active, if it is not any more, and the active one. */
  private async changedInteractions(
    before: ChatState | undefined,
    after: ChatState | undefined,
  ): Promise<Pick<InteractionRow, 'id' | 'status'>[]> {
    if (!after) return [];
    const { active_interaction_id: active, status } = after;
    const last = before?.active_interaction_id ?? null;
    const ended = last !== null && last !== active ? last : undefined;
    const row = ended && (await this.interactions.findInteraction(ended, ANY_TENANT));
    const isNews = active !== null && (active !== last || status !== before?.status);
    return [
      ...(row ? [{ id: row.id, status: row.status }] : []),
      ...(isNews && status !== null ? [{ id: active, status }] : []),
    ];
  }

  /** The oldest first. One that joins the chat later than it was uploaded is between the others. */
  private async newFiles({ before, after }: Difference): Promise<FileInfo[]> {
    if (!before?.tasks) return [];
    const known = before.newest_files ?? [];
    const now = after?.newest_files ?? [];
    // Where the list was full, what follows the last known one has moved up.
    const last = known.length < MAX_FILES ? now.length : lastOf(now, known);
    const joined = now.slice(0, last).filter((id) => !known.includes(id));
    const rows = await Promise.all(joined.map((id) => this.catalog.find(id, ANY_TENANT)));
    return rows.flatMap((row) => (row ? toFile(row) : [])).toReversed();
  }

  private async changedTasks({ uid, before, after }: Difference): Promise<ChatChange['tasks']> {
    if (!before?.tasks || !after?.tasks) return [];
    const old = new Map(before.tasks.map(({ id, version }) => [id, version]));
    const now = new Set(after.tasks.map(({ id }) => id));
    const changed = after.tasks.filter(({ id, version }) => old.get(id) !== version);
    const deleted = before.tasks.filter(({ id }) => !now.has(id));
    const byPeople = new Set(changed.flatMap(({ id, agent_id }) => (agent_id === null ? id : [])));
    const board = byPeople.size > 0 ? await this.boards.list(uid) : [];
    const tasks = board.filter(({ id }) => byPeople.has(id)).map((task) => ({ task }));
    return [...tasks, ...deleted.map((task) => ({ task, deleted: true as const }))];
  }
}

/** A board counts only if both have one. */
export function isSame(one: KnownChat | undefined, other: KnownChat | undefined): boolean {
  const hasBoards = one?.tasks !== undefined && other?.tasks !== undefined;
  return printOf(one, hasBoards) === printOf(other, hasBoards);
}

function printOf(chat: KnownChat | undefined, withBoard: boolean): string {
  const versions = withBoard ? chat?.tasks?.map(({ id, version }) => [id, version]) : [];
  return JSON.stringify([chat?.state, versions, withBoard && chat?.newest_files]);
}

function changedQueue(before: ChatState | undefined, after: ChatState): readonly string[] {
  const { queued, queue_changes } = after;
  const known = new Map(before?.queued.map((id, i) => [id, before.queue_changes[i]]));
  const changed = queued.filter((id, i) => known.get(id) !== queue_changes[i]);
  const hasLeft = added(queued, before?.queued ?? []).length > 0;
  return changed.length === 0 && hasLeft ? queued.slice(0, 1) : changed;
}

/** The length of the list up to the last item that was known; all if none was. */
function lastOf(now: readonly string[], known: readonly string[]): number {
  const last = now.findLastIndex((id) => known.includes(id));
  return last < 0 ? now.length : last;
}

/** Items of `after` that are not in `before`. */
function added(before: readonly string[], after: readonly string[]): string[] {
  return after.filter((id) => !before.includes(id));
}
