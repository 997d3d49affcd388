import { readdir, readFile, stat } from 'node:fs/promises';
import { decodeText } from '../../kernel/text/decode-text.js';
import { ifMissing } from '../../kernel/disk/missing-path.js';
import { join } from 'node:path';

/** A file of the folder. */
export interface AgentFile {
  /** Its name without the folder. */
  readonly name: string;
  /** Changes when the file does. */
  readonly version: string;
  /** Or why it can't be read. */
  readonly text: string | Error;
}

const MAX_FILES = 200;
const MAX_BYTES = 200_000;

/**
 * The folder's Markdown files by name; those that have changed since `known` are read again. Empty
 * if there is not a folder.
 * @throws Error if the folder can't be read
 */
export async function readAgentFolder(
  folder: string,
  known: ReadonlyMap<string, AgentFile>,
): Promise<AgentFile[]> {
  const names = await readdir(folder).catch(ifMissing([]));
  const files = names.filter((name) => /^[^.].*\.md$/i.test(name)).sort();
  return Promise.all(
    files.slice(0, MAX_FILES).map((name) => readAgentFile(folder, name, known.get(name))),
  );
}

async function readAgentFile(
  folder: string,
  name: string,
  known: AgentFile | undefined,
): Promise<AgentFile> {
  const path = join(folder, name);
  try {
    const { mtimeMs, size, ino } = await stat(path);
    const version = `${mtimeMs}/${size}/${ino}`;
    if (known?.version === version) return known;
    if (size > MAX_BYTES) throw new Error(`has more than ${MAX_BYTES} bytes`);
    return { name, version, text: decodeText(await readFile(path)) };
  } catch (error) {
    const version = String(error);
    return known?.version === version ? known : { name, version, text: error as Error };
  }
}
