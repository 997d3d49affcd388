import { readFile } from 'node:fs/promises';

/**
 * The stages of a Dockerfile: `{ name, from, steps }`, each step `{ keyword, flags, text, words }`.
 * `words` are those of the exec form, or what is between spaces.
 */
export async function readDockerfile(path) {
  const lines = (await readFile(path, 'utf8'))
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ');
  const stages = [];
  for (const line of lines.split('\n').filter((one) => one.trim())) {
    const step = parseStep(line.trim());
    if (step.keyword !== 'FROM') stages.at(-1).steps.push(step);
    else stages.push({ from: step.words[0], name: step.words[2] ?? 'last', steps: [] });
  }
  return stages;
}

function parseStep(line) {
  const [, keyword, rest] = /^(\w+)\s+(.*)$/.exec(line);
  const [options] = /^(--\S+\s+)*/.exec(rest);
  const flags = Object.fromEntries(
    [...options.matchAll(/--([\w-]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  );
  const text = rest.slice(options.length).trim();
  return { keyword, flags, text, words: wordsOf(text) };
}

function wordsOf(text) {
  return text.startsWith('[') ? JSON.parse(text) : text.split(/\s+/);
}
