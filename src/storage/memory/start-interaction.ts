import { rm } from 'node:fs/promises';
import type {
  InteractionRow,
  NewChat,
  StartInteraction,
  StartOutcome,
} from '../../persistence/rows/store-rows.js';
import { AppError } from '../../kernel/app-error.js';
import { syncDirectory } from './durable-files.js';
import type { FileChats } from './file-chats.js';
import type { FileLeases } from './file-leases.js';
import { InteractionLog } from './interaction-log.js';
import { toInteractionRow } from './interaction-row.js';
import type { KeyedMutex } from '../../kernel/keyed-mutex.js';
import { interruptedState } from './log-transitions.js';
import { newChatRow } from './new-chat-row.js';
import type { NewLog } from './new-interaction.js';
import { newInteraction, newQueued } from './new-interaction.js';
import type { Projections } from './projections.js';
import { refuseStart } from './refuse-start.js';
import type { StoreIndex } from './store-index.js';
import { StoredChat } from './stored-chat.js';

export interface StartDeps {
  readonly index: StoreIndex;
  readonly mutex: KeyedMutex;
  readonly chats: FileChats;
  readonly leases: FileLeases;
  readonly projections: Projections;
}

/** Starts interactions. The first frame of the log is the commit: with it chat, interaction and record 1 exist, without it nothing does. */
export class FileStarts {
  constructor(private readonly deps: StartDeps) {}

  start(request: StartInteraction): Promise<StartOutcome> {
    const { index, mutex } = this.deps;
    return mutex.run(request.chat.id, async () => {
      const chat = index.findChat(request.chat.id);
      const refused = await refuseStart(chat, request);
      if (refused) return refused;
      if (index.findLog(request.interaction.id)) throw takenId(request.interaction.id);
      return chat?.isBusy ? this.queue(request, chat) : this.begin(request, chat);
    });
  }

  private async begin(request: StartInteraction, known?: StoredChat): Promise<StartOutcome> {
    const { index, leases, projections } = this.deps;
    const content = newInteraction(request, known);
    const log = known
      ? await createIn(known, content)
      : await this.beginChat(request.chat, content);
    const superseded = known ? enter(known, log) : [];
    index.addLog(log);
    if (request.lease) leases.hold(log, request.lease);
    projections.refreshChat(request.chat.id);
    for (const each of [log, ...superseded]) projections.refreshInteraction(each);
    return { outcome: 'started', interaction: rowOf(request, content), first: content.first };
  }

  /** What it interrupts is marked for cancelling in a log of its own: both are written before either is seen, and a start after a crash marks it. */
  private async queue(request: StartInteraction, chat: StoredChat): Promise<StartOutcome> {
    const { index, projections } = this.deps;
    const interrupted = request.on_conflict === 'interrupt' ? chat.active : undefined;
    const content = newQueued(request, chat);
    const log = await createIn(chat, content);
    const showCancel = await orRemove(chat, log, () =>
      interrupted?.write(interruptedState(interrupted.state)),
    );
    showCancel?.();
    chat.add(log);
    index.addLog(log);
    projections.refreshInteraction(log);
    const interaction = rowOf(request, content);
    return { outcome: 'queued', interaction, interrupted: interrupted?.id ?? null };
  }

  private async beginChat(row: NewChat, content: NewLog): Promise<InteractionLog> {
    let log!: InteractionLog;
    await this.deps.chats.make(row.id, async (directory) => {
      const chat = new StoredChat(directory, newChatRow(row));
      log = await InteractionLog.create(directory, content);
      enter(chat, log);
      return chat;
    });
    return log;
  }
}

async function createIn(chat: StoredChat, content: NewLog): Promise<InteractionLog> {
  const log = await InteractionLog.create(chat.directory, content);
  await orRemove(chat, log, () => syncDirectory(chat.directory.interactions));
  return log;
}

/** A start that can't be finished was none. */
async function orRemove<T>(
  chat: StoredChat,
  log: InteractionLog,
  task: () => T | Promise<T>,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    await rm(chat.directory.logFile(log.id), { force: true });
    throw error;
  }
}

function rowOf({ interaction }: StartInteraction, { start, state }: NewLog): InteractionRow {
  return toInteractionRow({ start, user_message: interaction.user_message }, state, null);
}

function enter(chat: StoredChat, log: InteractionLog): Iterable<InteractionLog> {
  chat.add(log);
  return chat.begin(log, log.known.created_at);
}

function takenId(id: string): AppError {
  return new AppError('conflict', 'interaction_exists', `There is an interaction ${id} already.`);
}
