import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Client } from '../../../client/index.js';

const MOST_BYTES = 100 * 1024 * 1024;
/** `@path` or `@path#10-20`, at the start of a word. */
const MENTION = /(?:^|\s)@([^\s#]{1,1024})(?:#(\d{1,9})(?:-(\d{1,9}))?)?/g;

interface Mention {
  readonly path: string;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export function mentionsIn(text: string): Mention[] {
  return Array.from(text.matchAll(MENTION), ([, path = '', from, to]) => ({
    path,
    from: from === undefined ? undefined : Number(from),
    to: to === undefined ? (from === undefined ? undefined : Number(from)) : Number(to),
  }));
}

/**
 * Uploads the files that a message names; a name of no file is text.
 * @throws ParleyError; the reason of the signal, if that is aborted
 */
export async function attach(client: Client, text: string, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  for (const mention of mentionsIn(text)) {
    const info = await stat(mention.path).catch(() => undefined);
    if (!info?.isFile()) continue;
    if (info.size > MOST_BYTES) throw new Error(`${mention.path} is larger than 100 MB.`);
    const options = { filename: nameOf(mention), signal };
    const { id } = await client.files.upload(await blobOf(mention), options);
    ids.push(id);
  }
  signal.throwIfAborted();
  return ids;
}

async function blobOf({ path, from, to }: Mention): Promise<Blob> {
  const bytes = await readFile(path);
  if (from === undefined) return new Blob([bytes]);
  const lines = bytes.toString('utf8').split('\n');
  return new Blob([lines.slice(from - 1, to).join('\n')]);
}

/** `cursor.lines-10-20.ts` */
function nameOf({ path, from, to }: Mention): string {
  const name = basename(path);
  if (from === undefined) return name;
  const dot = name.lastIndexOf('.');
  const cut = dot > 0 ? dot : name.length;
  return `${name.slice(0, cut)}.lines-${from}-${to}${name.slice(cut)}`;
}
