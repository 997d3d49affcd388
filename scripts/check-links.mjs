// Fails when a relative link, or its anchor, in README.md, AGENTS.md, CHANGELOG.md or docs/ leads
// nowhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const docs = readdirSync('docs', { recursive: true })
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name));
const pages = ['README.md', 'AGENTS.md', 'CHANGELOG.md', ...docs];

for (const page of pages)
  for (const [, target] of proseOf(page).matchAll(/\]\(([^)\s]+)\)/g))
    if (!/^[a-z]+:/.test(target) && !resolves(page, target)) report(page, target);

function resolves(page, target) {
  const [path, anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(file)) return false;
  return anchor === undefined || anchorsOf(file).includes(anchor);
}

function anchorsOf(file) {
  return [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => slug(heading));
}

/** As GitHub makes it. */
function slug(heading) {
  const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, '');
  return plain.trim().replaceAll(' ', '-');
}

function proseOf(file) {
  return readFileSync(file, 'utf8').replaceAll(/^```[^]*?^```/gm, '');
}

function report(page, target) {
  console.log(`${page}: the link to ${target} leads nowhere`);
  process.exitCode = 1;
}
