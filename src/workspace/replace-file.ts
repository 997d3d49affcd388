import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { userUmask } from '../kernel/disk/umask.js';
import type { Folder } from './folder.js';
import { toFault } from './walk.js';
import { unsuitable } from './workspace-fault.js';
import type { Workspace } from './workspace.js';

const { O_WRONLY, O_CREAT, O_EXCL } = constants;

/** Maximum number of names to check, in a folder of any size. */
const MAX_LOOKED_AT = 10_000;
const TEMPORARY = /^\.parley-[0-9a-f-]{36}\.tmp$/;
/** Age at which a temporary file counts as abandoned, in milliseconds. */
const ABANDONED_MS = 10 * 60_000;
const PERMISSIONS = 0o7777;

export interface Replacement {
  readonly path: string;
  readonly bytes: Buffer;
  /** The state of the file at the time of the decision; undefined if nothing was there. */
  readonly before: Stats | undefined;
}

/**
 * Replaces a file atomically with these bytes: a concurrent reader sees the old or the new file,
 * and so does a reader after a crash. Missing folders are made; mode and owner are kept.
 * @returns its path in the workspace, without symbolic links
 * @throws WorkspaceFault also if the file is no longer in the state `before`
 */
export async function replaceFile(
  workspace: Workspace,
  { path, bytes, before }: Replacement,
): Promise<string> {
  const { folder, name, stats } = await workspace.locate(path, { make: true });
  try {
    requireSame(path, before, stats);
    const temporary = await writeTemporary(folder, bytes, before);
    try {
      requireSame(path, before, await folder.find(name));
      await folder.rename(temporary, name);
    } catch (error) {
      await folder.remove(temporary).catch(() => {});
      throw error;
    }
    await folder.sync();
    await removeAbandoned(folder);
    return workspace.relativePath(folder, name);
  } catch (error) {
    throw toFault(error, path);
  } finally {
    await folder.close();
  }
}

async function writeTemporary(
  folder: Folder,
  bytes: Buffer,
  before: Stats | undefined,
): Promise<string> {
  const name = `.parley-${randomUUID()}.tmp`;
  const handle = await folder.open(name, O_WRONLY | O_CREAT | O_EXCL, 0o600);
  try {
    await handle.writeFile(bytes);
    if (before) await takeAfter(handle, before);
    else await handle.chmod(0o666 & ~userUmask());
    await handle.sync();
    return name;
  } catch (error) {
    await folder.remove(name).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
}

async function takeAfter(handle: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  const own = await handle.stat();
  // only root may change the owner
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid).catch(() => {});
  await handle.chmod(mode & PERMISSIONS);
}

/** Removes temporary files of processes that were killed during a write. */
async function removeAbandoned(folder: Folder): Promise<void> {
  for (const { name } of await folder.list(MAX_LOOKED_AT)) {
    if (!TEMPORARY.test(name)) continue;
    const stats = await folder.find(name);
    if (stats && Date.now() - stats.mtimeMs > ABANDONED_MS)
      await folder.remove(name).catch(() => {});
  }
}

function requireSame(path: string, before: Stats | undefined, now: Stats | undefined): void {
  const isSame =
    before?.ino === now?.ino && before?.size === now?.size && before?.ctimeMs === now?.ctimeMs;
  if (!isSame) throw unsuitable(path, 'was changed by another process just now; read it again');
}
