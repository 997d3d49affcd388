import { Injectable } from '@nestjs/common';
import { KeyedMutex } from '../../kernel/async/keyed-mutex.js';
import { normalizeText } from '../../kernel/text/normalize-text.js';
import { findRealPath } from '../../workspace/find-real-path.js';
import { isInGitFolder, parsePath } from '../../workspace/parse-path.js';
import { findFile, MAX_FILE_BYTES } from '../../workspace/read-file.js';
import type { WorkspaceFile } from '../../workspace/read-file.js';
import { replaceFile } from '../../workspace/replace-file.js';
import type { Workspace } from '../../workspace/workspace.js';
import { WorkspaceFault } from '../../workspace/workspace-fault.js';
import { Workspaces } from '../../workspace/workspaces.js';
import type { CallAbout, ToolContext } from '../core/tool.js';
import type { Cut } from '../../kernel/text/cut-text.js';
import { describeChange } from './describe-change.js';
import type { FileState } from './file-state.js';
import { stateOf } from './file-state.js';
import { KnownFiles } from './known-files.js';
import { requirePermitted } from './require-permitted.js';
import type { PermittedCall } from './require-permitted.js';
import { ToolFault } from './tool-fault.js';

export interface FileChange extends PermittedCall {
  /**
   * Returns the new content of the file.
   * @throws ToolFault if there is none
   */
  readonly apply: (before: Buffer | undefined, cut: Cut) => Buffer;
}

/** The result of a change. */
export interface ChangedFile {
  /** The former content; undefined: the file is new. */
  readonly before: Buffer | undefined;
  readonly after: Buffer;
  readonly seen: FileState;
}

/**
 * Changes files. Calls that change the same file run one after the other, so that no update is
 * lost. A file whose current state its chat has not seen is left unchanged, so that no unread work
 * is overwritten.
 */
@Injectable()
export class FileChanges {
  private readonly mutex = new KeyedMutex();

  constructor(
    private readonly workspaces: Workspaces,
    private readonly known: KnownFiles,
  ) {}

  /**
   * Makes the change. Logs the start of the effect only after all checks have passed; a rejected
   * change logs no start.
   * @throws ToolFault, WorkspaceFault
   */
  make(change: FileChange, context: ToolContext): Promise<ChangedFile> {
    return this.workspaces.use(context.chat_uid, (workspace) =>
      this.mutex.run(placeOf(workspace, change.path), () =>
        this.replace(workspace, change, context),
      ),
    );
  }

  /** Describes the change, or the reason for its rejection, for people. Changes nothing. */
  preview(change: FileChange, about: CallAbout): Promise<string> {
    return this.workspaces.use(about.chat_uid, async (workspace) => {
      try {
        const { file, after } = await this.decide(workspace, change, about);
        return describeChange({ path: change.path, before: file?.bytes, after }, about.cut);
      } catch (error) {
        if (!(error instanceof ToolFault || error instanceof WorkspaceFault)) throw error;
        return `a file, which would fail as it is now: ${error.message}`;
      }
    });
  }

  private async replace(
    workspace: Workspace,
    change: FileChange,
    context: ToolContext,
  ): Promise<ChangedFile> {
    const { chat_uid, signal } = context;
    signal.throwIfAborted();
    const realPath = await findRealPath(workspace, change.path);
    await requirePermitted(change, realPath, context);
    requireOutsideGit(realPath);
    const { file, after } = await this.decide(workspace, change, context);
    const before = file?.bytes;
    if (file && before?.equals(after))
      return { before, after, seen: stateOf(file.real_path, after) };
    await context.started();
    signal.throwIfAborted();
    const written = { path: change.path, bytes: after, before: file?.stats };
    const seen = stateOf(await replaceFile(workspace, written), after);
    this.known.remember(chat_uid, seen);
    return { before, after, seen };
  }

  private async decide(
    workspace: Workspace,
    { path, apply }: FileChange,
    { chat_uid, cut }: CallAbout,
  ): Promise<{ readonly file: WorkspaceFile | undefined; readonly after: Buffer }> {
    requireOutsideGit(path);
    const file = await findFile(workspace, path);
    if (file) {
      requireWritable(path, file);
      await this.requireKnown(chat_uid, path, file);
    }
    const after = apply(file?.bytes, cut);
    if (after.length <= MAX_FILE_BYTES) return { file, after };
    const most = MAX_FILE_BYTES / 1024 / 1024;
    throw new ToolFault(
      `${path} would become larger than ${most} MiB, and is left as it is. Make such a file with bash.`,
    );
  }

  private async requireKnown(
    chatUid: string,
    path: string,
    { real_path, bytes }: WorkspaceFile,
  ): Promise<void> {
    switch (await this.known.compare(chatUid, stateOf(real_path, bytes))) {
      case 'same':
        return;
      case 'changed':
        throw new ToolFault(
          `${path} has changed since it was last read or written in this chat. Read it again, then decide what to change.`,
        );
      case 'unseen':
        throw new ToolFault(
          `${path} already exists and has not been read in this chat. Read it first, so that no content is lost.`,
        );
    }
  }
}

/** Explicit check: the file is replaced by a new one, so the operating system would not refuse. */
function requireWritable(path: string, { stats }: WorkspaceFile): void {
  if ((stats.mode & 0o222) === 0)
    throw new ToolFault(`${path} is read-only, and is left as it is.`);
}

/** Git runs such programs also in commands that only read. */
function requireOutsideGit(path: string): void {
  if (isInGitFolder(path))
    throw new ToolFault(
      `${path} is left as it is: Git runs programs that files in .git name. Change its settings with "git config", by the tool bash.`,
    );
}

function placeOf({ path: root }: Workspace, path: string): string {
  return normalizeText([root, ...parsePath(path)].join('/'), 'NFC');
}
