import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { InteractionState } from '../../memory/core/interaction-state.js';
import type { ChangedParts, ChatSnapshot, FirstAppend } from '../../memory/core/journal.js';
import { ChatJournal, StoreJournal } from '../../memory/core/journal.js';
import type { StoredChat } from '../../memory/core/stored-chat.js';
import { ChatDirectory, chatPath, makeChatDirectory } from '../log/chat-directory.js';
import { writeChatFile } from './chat-files.js';
import { syncDirectory } from '../durable-files.js';
import { FileLog } from '../log/file-log.js';
import type { Projections } from './projections.js';
import type { ReportProblem } from '../report-problem.js';

/**
 * Prefix of chats that are being deleted or imported; a uid never contains a dot. A start
 * removes these folders.
 */
const TRASH_PREFIX = '.deleted-';
const INCOMING_PREFIX = '.incoming-';

export function isLeftOver(name: string): boolean {
  return name.startsWith(TRASH_PREFIX) || name.startsWith(INCOMING_PREFIX);
}

export interface FileJournalOptions {
  /** The folder that contains the chats' folders. */
  readonly root: string;
  readonly projections: Projections;
  readonly report: ReportProblem;
}

/** Stores each chat as a folder under `root`. */
export class FileJournal extends StoreJournal {
  constructor(private readonly options: FileJournalOptions) {
    super();
  }

  chat(chatUid: string): ChatFolder {
    return new ChatFolder(this.options, new ChatDirectory(''), 'new', chatUid);
  }

  async receive(): Promise<ChatFolder> {
    const directory = new ChatDirectory(
      join(this.options.root, `${INCOMING_PREFIX}${randomUUID()}`),
    );
    await mkdir(directory.interactions, { recursive: true });
    return new ChatFolder(this.options, directory, 'received');
  }

  /** Opens a folder that an earlier process created. */
  open(directory: ChatDirectory): ChatFolder {
    return new ChatFolder(this.options, directory, 'there');
  }

  async ping(): Promise<void> {
    await access(this.options.root, constants.R_OK | constants.W_OK);
  }
}

class ChatFolder extends ChatJournal {
  constructor(
    private readonly options: FileJournalOptions,
    readonly directory: ChatDirectory,
    private stage: 'new' | 'received' | 'there' | 'removed',
    private readonly chatUid = '',
  ) {
    super();
  }

  create(first: FirstAppend, state: InteractionState): Promise<FileLog> {
    return this.making(async () => {
      const log = new FileLog(this.directory, first.start.id);
      await log.create(first, state);
      try {
        await this.sync(this.directory.interactions);
      } catch (error) {
        await log.remove();
        throw error;
      }
      return log;
    });
  }

  save(chat: ChatSnapshot): Promise<void> {
    return this.making(async () => {
      await writeChatFile(this.directory, chat);
      await this.sync(this.directory.path);
    });
  }

  /** The rename removes the chat. */
  async remove(): Promise<void> {
    await this.moveTo(join(this.options.root, `${TRASH_PREFIX}${randomUUID()}`), 'removed');
  }

  async discard(): Promise<void> {
    if (this.stage === 'removed') await syncDirectory(this.options.root);
    await rm(this.directory.path, { recursive: true, force: true });
  }

  /** The rename makes the folder that of a chat. */
  async enter(chatUid: string): Promise<void> {
    const { root } = this.options;
    const { interactions, path } = this.directory;
    await Promise.all([interactions, path].map(syncDirectory));
    await this.moveTo(chatPath(root, chatUid), 'there');
    await syncDirectory(root);
  }

  refresh(chatUid: string, changed: ChangedParts): void {
    this.options.projections.refresh(this.directory, chatUid, changed);
  }

  report(message: string): void {
    this.options.report({ path: this.directory.path, message });
  }

  /** Creates the folder if the chat is new, and removes it again if `task` fails. */
  private async making<T>(task: () => Promise<T>): Promise<T> {
    if (this.stage !== 'new') return task();
    this.directory.path = await makeChatDirectory(this.options.root, this.chatUid);
    try {
      const result = await task();
      this.stage = 'there';
      return result;
    } catch (error) {
      await this.discard();
      throw error;
    }
  }

  /** @param changed the folder that has a new entry */
  private async sync(changed: string): Promise<void> {
    if (this.stage === 'received') return;
    const { interactions, path } = this.directory;
    const isNew = this.stage === 'new';
    const folders = isNew ? [interactions, path, this.options.root] : [changed];
    await Promise.all(folders.map(syncDirectory));
  }

  private async moveTo(path: string, stage: 'there' | 'removed'): Promise<void> {
    await rename(this.directory.path, path);
    this.directory.path = path;
    this.stage = stage;
  }
}

/** The directory of a chat in a file store. */
export function directoryOf({ journal }: StoredChat): ChatDirectory {
  if (journal instanceof ChatFolder) return journal.directory;
  throw new TypeError('The chat is not kept in files.');
}
