// Fails on comments of production code that are too long or don't say what something is:
// docs/architecture.md, Words.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MAX_COLUMNS = 100;
const COMMENT = /^\s*(?:\/\*\*?|\*|\/\/)/;
/** A comment begins with the noun that it is about. */
const FRAGMENT =
  /^\s*(?:\/\*\*|\/\/) (?:As|Both|Of|One|Those|What|Whether|Who|Whom|Whose)\b|\b(?:nobody|somebody|anybody|whoever)\b/;

const FOLDERS = [
  ...['src', 'client', 'terminal', 'web/src', 'migrations'],
  ...['test', 'bench', 'chaos', 'scripts'],
];
const IS_PRODUCTION = /^(?:src|client|terminal|web|migrations)\/(?!.*\.spec\.ts$)/;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => /\.(?:m?[jt]s|tsx)$/.test(name) && !name.startsWith('generated/'))
    .map((name) => join(folder, name)),
);
for (const file of files) {
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    const fault = COMMENT.test(line) && faultOf(line, lines[index - 1], file);
    if (!fault) continue;
    console.error(`${file}:${index + 1}: ${fault}: ${line.trim()}`);
    process.exitCode = 1;
  }
}

function faultOf(line, previous, file) {
  if (line.length > MAX_COLUMNS && !line.includes('http')) return 'too long';
  const begins = previous?.trim() === '/**' ? line.replace('*', '/**') : line;
  return IS_PRODUCTION.test(file) && FRAGMENT.test(begins) && 'name the thing instead';
}
