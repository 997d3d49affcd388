import { readFile, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { format, resolveConfig } from 'prettier';

/** Writes a generated file, or with `--check` exits 1 if the one that is there differs. */
export async function keepGenerated(path, text, command) {
  const options = await resolveConfig(path);
  const wanted = await format(text, { ...options, filepath: path });
  if (!process.argv.includes('--check')) return writeFile(path, wanted);
  const found = await readFile(path, 'utf8').catch(() => '');
  if (found === wanted) return;
  console.error(`${relative('.', path)} does not match the code: run \`npm run ${command}\`.`);
  process.exitCode = 1;
}
