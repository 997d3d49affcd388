import { readFile } from 'node:fs/promises';

/**
 * Answers whether a path (relative, with slashes) is sent to a build, as .dockerignore says: the
 * last line that fits it or a folder above decides.
 */
export async function readContextFilter(path) {
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim());
  const rules = lines.filter((line) => line && !line.startsWith('#')).map(toRule);
  return (file) => {
    const folders = file.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
    const last = rules.findLast(({ pattern }) => folders.some((folder) => pattern.test(folder)));
    return last?.isSent ?? true;
  };
}

function toRule(line) {
  const isSent = line.startsWith('!');
  const parts = (isSent ? line.slice(1) : line).split(/(\*\*\/|\*\*|\*|\?)/);
  const wild = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' };
  const source = parts.map((part) => wild[part] ?? escape(part)).join('');
  return { isSent, pattern: new RegExp(`^${source}$`) };
}

function escape(text) {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
