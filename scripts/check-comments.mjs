// Fails on comments of production code that are too long or don't say what something is:
// docs/architecture.md, Words.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MOST_COLUMNS = 100;
const COMMENT = /^\s*(?:\/\*\*?|\*|\/\/)/;
const RIDDLE =
  /^\s*(?:\/\*\*|\/\/) (?:What|Whether|Who|Whom)\b|\b(?:nobody|somebody|anybody|whoever)\b/;

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
for (const file of files)
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const fault = COMMENT.test(line) && faultOf(line, file);
    if (!fault) continue;
    console.error(`${file}:${index + 1}: ${fault}: ${line.trim()}`);
    process.exitCode = 1;
  }

function faultOf(line, file) {
  if (line.length > MOST_COLUMNS && !line.includes('http')) return 'too long';
  return IS_PRODUCTION.test(file) && RIDDLE.test(line) && 'name the thing instead';
}
