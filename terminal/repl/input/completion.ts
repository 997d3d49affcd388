import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface Names {
  readonly commands: readonly string[];
  readonly agents: readonly string[];
  readonly models: readonly string[];
}

export interface Completed {
  readonly text: string;
  /** Other completions; shown when nothing more is certain. */
  readonly choices: readonly string[];
}

/** Completes the word before the cursor: a command, its argument, or `@path`. */
export async function complete(before: string, names: Names): Promise<Completed> {
  const command = /^\/([\w-]*)$/.exec(before);
  if (command)
    return pick(
      before,
      `/${command[1]}`,
      names.commands.map((it) => `/${it} `),
    );
  const argument = /^\/(agents?|model)\s+(\S*)$/.exec(before);
  if (argument) {
    const [, name = '', word = ''] = argument;
    return pick(before, word, name === 'model' ? names.models : names.agents);
  }
  const path = /(?:^|\s)@(\S*)$/.exec(before)?.[1];
  return path === undefined ? { text: before, choices: [] } : completePath(before, path);
}

async function completePath(before: string, path: string): Promise<Completed> {
  const folder = path.endsWith('/') ? path : dirname(path);
  const entries = await readdir(folder === '' ? '.' : folder, { withFileTypes: true }).catch(
    () => [],
  );
  const paths = entries
    .filter(({ name }) => !name.startsWith('.') || /(?:^|\/)\.[^/]*$/.test(path))
    .map((entry) => `${join(folder, entry.name)}${entry.isDirectory() ? '/' : ''}`)
    .map((it) => (path.startsWith('./') ? `./${it}` : it));
  return pick(before, path, paths);
}

function pick(before: string, word: string, names: readonly string[]): Completed {
  const fitting = names.filter((name) => name.startsWith(word)).toSorted();
  if (fitting.length === 0) return { text: before, choices: [] };
  const common = fitting.reduce(commonStart);
  const text = before.slice(0, before.length - word.length) + common;
  return { text, choices: fitting.length > 1 && common === word ? fitting : [] };
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}
