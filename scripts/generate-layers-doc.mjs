// Writes the layers of docs/architecture.md from those that the check enforces.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { keepGenerated } from './generated-file.mjs';
import layers from './layers.cjs';

const { FLOOR, LAYERS, MAY_USE } = layers;
const CHAIN = LAYERS.flat();
const SECTION = /(?<=<!-- docs:layers -->\n).*?(?=<!-- end -->)/s;

const target = fileURLToPath(new URL('../docs/architecture.md', import.meta.url));
const page = readFileSync(target, 'utf8');
await keepGenerated(
  target,
  page.replace(SECTION, () => section()),
  'docs:layers',
);

function section() {
  const chain = LAYERS.map((layer, at) => {
    if (layer.length > 1) return `\n  ← (${layer.join(', ')})`;
    if (at === 0) return layer[0];
    return `${LAYERS[at - 1].length > 1 ? '\n  ' : ' '}← ${layer[0]}`;
  });
  const rows = Object.entries(MAY_USE)
    .filter(([folder]) => !CHAIN.includes(folder))
    .map(([folder, used]) => `| \`${folder}\` | ${usedBy(used)} |`);
  return [
    '\n```text',
    chain.join(''),
    '```\n',
    'Beside the chain, each of these uses:\n',
    '| Folder | May use |\n| --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** The chain and its first part, up to `streams`, by their names. */
function usedBy(used) {
  for (const [part, name] of [
    [CHAIN, 'all of the chain'],
    [FLOOR, `up to \`${FLOOR.at(-1)}\``],
  ]) {
    if (!part.every((folder) => used.includes(folder))) continue;
    return [name, ...quoted(used.filter((folder) => !part.includes(folder)))].join(', ');
  }
  return quoted(used).join(', ');
}

function quoted(folders) {
  return folders.map((folder) => `\`${folder}\``);
}
