import { createHash } from 'node:crypto';

/** What a file held when somebody saw it. */
export interface FileState {
  /** In the workspace, without links. */
  readonly path: string;
  /** Of all its bytes. */
  readonly hash: string;
}

export function stateOf(path: string, bytes: Buffer): FileState {
  return { path, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 32) };
}
