import { readFileSync } from 'node:fs';

const ANY_FOLDER = '**/*';

/**
 * What `nest-cli.json` says of the build: the folder of the sources, the server's program in it,
 * and the endings of the other files that come along, such as `.py`.
 */
export function readNestCli() {
  const text = readFileSync(new URL('../nest-cli.json', import.meta.url), 'utf8');
  const { sourceRoot, entryFile, compilerOptions } = JSON.parse(text);
  return { sourceRoot, entryFile, assets: compilerOptions.assets.map(endingOf) };
}

function endingOf(glob) {
  const ending = glob.slice(ANY_FOLDER.length);
  if (glob.startsWith(ANY_FOLDER) && /^\.\w+$/.test(ending)) return ending;
  throw new Error(`nest-cli.json: the asset ${glob} has to be of the form **/*.py.`);
}
