import { readUpTo } from '../../workspace/read-file.js';
import type { TreeFile } from '../../workspace/tree/file-tree.js';
import { openFileIn } from '../../workspace/workspace.js';

/** Bytes. */
const MAX_FILE = 10_000_000;

/** Why a file has no text to search: `binary` is what has a NUL in it. */
export type NoText = 'large' | 'binary' | 'unopened';

/** What is in a file, as text. */
export async function readFileText({
  folder,
  name,
  path,
}: TreeFile): Promise<{ readonly text: string } | NoText> {
  const file = await openFileIn(folder, name, path).catch(() => undefined);
  if (!file) return 'unopened';
  try {
    if (file.stats.size > MAX_FILE) return 'large';
    const bytes = await readUpTo(file.handle, MAX_FILE + 1);
    if (bytes.length > MAX_FILE) return 'large';
    return bytes.includes(0) ? 'binary' : { text: new TextDecoder().decode(bytes) };
  } catch {
    return 'unopened';
  } finally {
    await file.handle.close();
  }
}
