import { existsSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { TENANT, commonPart, isIn } from '../config/tenant-paths.js';
import { ChatStore } from '../persistence/chat.store.js';
import { requireReadable } from '../persistence/require-readable.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import { Folder } from './folder.js';
import { DiscardNotes } from './discard-notes.js';
import { discardOwnFolder, openOwnFolder } from './own-folder.js';
import { Workspace } from './workspace.js';
import { WorkspaceFault } from './workspace-fault.js';
import { messageOf } from '../kernel/app-error.js';

/**
 * Finds the folder that a chat works in: its own, the one that the chats of its tenant share, or
 * the one that the settings of the chat name, or its metadata.
 */
@Injectable()
export class Workspaces {
  private readonly logger = new Logger(Workspaces.name);
  private readonly notes: DiscardNotes;

  constructor(
    private readonly config: Config,
    private readonly chats: ChatStore,
  ) {
    this.notes = new DiscardNotes(join(config.dataDir, 'discards'));
  }

  /**
   * Opens the chat's workspace for the duration of `work`.
   * @throws WorkspaceFault
   */
  async use<T>(chatUid: string, work: (workspace: Workspace) => Promise<T>): Promise<T> {
    const workspace = new Workspace(await this.openRoot(chatUid));
    try {
      return await work(workspace);
    } finally {
      await workspace.close();
    }
  }

  /** Before a chat is deleted: its folder goes, even if this process is killed before `discard`. */
  async intendDiscard(chatUid: string): Promise<void> {
    if (await this.hasOwnFolders()) await this.notes.add(chatUid);
  }

  /** Removes the folders of deleted chats that an earlier `discard` did not remove. */
  async discardOverdue(): Promise<void> {
    for (const chatUid of await this.notes.listOverdue()) {
      const isKept = (await this.chats.findChatByUid(chatUid)) !== undefined;
      await (isKept ? this.notes.remove(chatUid) : this.discard(chatUid));
    }
  }

  /**
   * Removes the folder that was made for a deleted chat. A folder that existed before,
   * that all chats share, or that chats can name is kept. A failure is logged, and the removal is
   * tried again by `discardOverdue`.
   */
  async discard(chatUid: string): Promise<void> {
    try {
      if (await this.hasOwnFolders()) await discardOwnFolder(this.config.workspaceDir, chatUid);
      await this.notes.remove(chatUid);
    } catch (error) {
      this.logger.warn(
        `The workspace ${chatUid} of a deleted chat is still there: ${messageOf(error)}`,
      );
    }
  }

  private async hasOwnFolders(): Promise<boolean> {
    const { workspaceDir, workspaceMode } = this.config;
    if (workspaceMode === 'shared' || !existsSync(workspaceDir)) return false;
    return !(await this.canBeNamed(workspaceDir));
  }

  /** True if another chat could name a folder inside it. */
  private async canBeNamed(workspaceDir: string): Promise<boolean> {
    const base = await realpath(workspaceDir);
    const roots = await Promise.all(
      this.config.workspaceRoots.map((root) => real(commonPart(root))),
    );
    return roots.some((root) => root && (isIn(base, root) || isIn(root, base)));
  }

  private async openRoot(chatUid: string): Promise<Folder> {
    const chat = await this.chats.findChatByUid(chatUid);
    if (chat) requireReadable(chat);
    const named: unknown = chat?.settings.workspace ?? chat?.metadata['workspace'];
    if (chat && named !== undefined && named !== null) return this.openNamed(chat, named);
    const { auth, workspaceDir, workspaceMode } = this.config;
    const isShared = workspaceMode === 'shared';
    const name = isShared ? chat?.tenant_id : chatUid;
    if (name === undefined && !auth.includes('none'))
      throw new WorkspaceFault('unsuitable', 'The chat was deleted.');
    await mkdir(workspaceDir, { recursive: true });
    const base = await Folder.openRoot(workspaceDir);
    const isWhole = name === undefined || (isShared && auth.includes('none'));
    return isWhole ? base : openOwn(base, name);
  }

  /** Outside of the allowed roots, errors do not reveal which files exist. */
  private async openNamed({ tenant_id }: ChatRow, named: unknown): Promise<Folder> {
    if (typeof named !== 'string' || !isAbsolute(named) || named.includes('\0'))
      throw unusable('it has to be the absolute path of a folder');
    const roots = await Promise.all(
      this.config.workspaceRoots.map((root) => real(root.replace(TENANT, tenant_id))),
    );
    const path = await real(named);
    const isAllowed = path !== undefined && roots.some((root) => root && isIn(path, root));
    if (!isAllowed || (await this.touchesOwn(path)))
      throw unusable('it is not a folder under one of the WORKSPACE_ROOTS');
    const folder = await Folder.openRoot(path).catch(() => undefined);
    if (folder?.path === path) return folder;
    await folder?.close();
    throw unusable('it is not a folder');
  }

  /**
   * True for a folder that contains something of the server's own, or lies in it. Such a folder
   * must never be a workspace.
   */
  private async touchesOwn(path: string): Promise<boolean> {
    const { ownPaths } = this.config;
    const own = await Promise.all(ownPaths.map(async (each) => [each, (await real(each)) ?? each]));
    return own.flat().some((each) => isIn(path, each) || isIn(each, path));
  }
}

async function openOwn(base: Folder, name: string): Promise<Folder> {
  try {
    return await openOwnFolder(base, name);
  } catch (cause) {
    const message = "The chat's folder can't be opened: something else is in its place.";
    throw new WorkspaceFault('unsuitable', message, { cause });
  } finally {
    await base.close();
  }
}

function real(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

function unusable(why: string): WorkspaceFault {
  return new WorkspaceFault('refused', `The chat names a workspace that can't be used: ${why}.`);
}
