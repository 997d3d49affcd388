import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The names and bytes of all files in a folder. */
export async function readFolder(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(async ({ name, parentPath }) => {
    return `${name}\n${await readFile(join(parentPath, name), 'latin1')}`;
  });
  return (await Promise.all(texts)).join('\n');
}
