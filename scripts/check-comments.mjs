// Fails on comments of production code that are too long or don't say what something is: AGENTS.md, Words.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MOST_COLUMNS = 100;
const COMMENT = /^\s*(?:\/\*\*?|\*|\/\/)/;
const RIDDLE =
  /^\s*(?:\/\*\*|\/\/) (?:What|Whether|Who|Whom)\b|\b(?:nobody|somebody|anybody|whoever)\b/;

const files = ['src', 'migrations'].flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => join(folder, name)),
);
for (const file of files)
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const fault = COMMENT.test(line) && faultOf(line);
    if (!fault) continue;
    console.error(`${file}:${index + 1}: ${fault}: ${line.trim()}`);
    process.exitCode = 1;
  }

function faultOf(line) {
  if (line.length > MOST_COLUMNS && !line.includes('http')) return 'too long';
  return RIDDLE.test(line) && 'name the thing instead';
}
