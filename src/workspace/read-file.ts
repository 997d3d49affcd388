import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { readSpan } from '../kernel/disk/read-span.js';
import { unsuitable, WorkspaceFault } from './workspace-fault.js';
import type { Workspace } from './workspace.js';

/** A regular file of a workspace, with its content at one moment. */
export interface WorkspaceFile {
  /** Relative to the workspace, without symbolic links. */
  readonly real_path: string;
  readonly bytes: Buffer;
  readonly stats: Stats;
}

const MAX_CHUNK_BYTES = 256 * 1024;
/** Maximum size of a file for tools that read it as a whole, in bytes. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;

/**
 * Reads a whole file.
 * @throws WorkspaceFault also if it is larger than `MAX_FILE_BYTES`
 */
export async function readFile(workspace: Workspace, path: string): Promise<WorkspaceFile> {
  const { handle, stats, real_path } = await workspace.openFile(path);
  try {
    if (stats.size > MAX_FILE_BYTES) throw tooLarge(path, stats.size);
    const bytes = await readUpTo(handle, {
      limit: MAX_FILE_BYTES + 1,
      size: stats.size,
    });
    if (bytes.length > MAX_FILE_BYTES) throw tooLarge(path, bytes.length);
    return { real_path, bytes, stats: await handle.stat() };
  } finally {
    await handle.close();
  }
}

/**
 * Undefined if nothing is there.
 * @throws WorkspaceFault
 */
export async function findFile(
  workspace: Workspace,
  path: string,
): Promise<WorkspaceFile | undefined> {
  try {
    return await readFile(workspace, path);
  } catch (error) {
    if (error instanceof WorkspaceFault && error.code === 'missing') return undefined;
    throw error;
  }
}

/**
 * Reads at most `limit` bytes; fewer if the file is shorter. A file may grow while it is read.
 * @param size of the file, in bytes: a small file takes a small buffer and one read
 */
export async function readUpTo(
  handle: FileHandle,
  { limit, size }: { readonly limit: number; readonly size: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const chunk = Math.min(size + 1, MAX_CHUNK_BYTES);
  for (let at = 0; at < limit;) {
    const wanted = Math.min(chunk, limit - at);
    const bytes = await readSpan(handle, at, wanted);
    chunks.push(bytes);
    at += bytes.length;
    if (bytes.length < wanted) break; // the end
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function tooLarge(path: string, size: number): WorkspaceFault {
  const megabytes = (size / 1024 / 1024).toFixed(1);
  return unsuitable(
    path,
    `is too large to be taken as a whole (${megabytes} MiB, and ${MAX_FILE_BYTES / 1024 / 1024} MiB is the most); search it with grep, or take a part of it with bash, such as sed -n '100,200p', or make a smaller copy of it if it is an image`,
  );
}
