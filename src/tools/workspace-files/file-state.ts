import { createHash } from 'node:crypto';

/** The state of a file when it was read or written. */
export interface FileState {
  /** Path in the workspace, without symbolic links. */
  readonly path: string;
  /** Hash of all its bytes. */
  readonly hash: string;
}

export function stateOf(path: string, bytes: Buffer): FileState {
  return { path, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 32) };
}
