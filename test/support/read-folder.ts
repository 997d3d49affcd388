import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The names and bytes of all files in a folder, also while a server writes to it. */
export async function readFolder(folder: string): Promise<string> {
  for (;;) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const texts = files.map(async ({ name, parentPath }) => {
      return `${name}\n${await readFile(join(parentPath, name), 'latin1')}`;
    });
    const read = await Promise.all(texts).catch(unlessGone);
    if (read) return read.join('\n');
  }
}

/** Some other file may have its bytes then: all are read again. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
