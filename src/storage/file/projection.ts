import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import type { ChatDirectory } from './chat-directory.js';
import { replaceFile } from './durable-files.js';
import type { InteractionLog } from './interaction-log.js';

const HEAD_BYTES = 128;
const FIRST_FIELDS = /^\{\n {2}"last_seq": (\d+),\n {2}"superseded_at": (?:null|"([^"]*)"),/;

/**
 * `<interaction_id>.json`: the interaction as people want to read it, with the messages it added as `final_agent_state`. It is made from the
 * log and never read back, but for its first fields, which say whether it is up to date.
 */
export async function writeProjection(
  directory: ChatDirectory,
  log: InteractionLog,
): Promise<void> {
  const { last_seq, superseded_at, ...row } = await log.readRow();
  const messages = await log.readAddedMessages();
  const final_agent_state = messages ? { messages } : null;
  const text = JSON.stringify({ last_seq, superseded_at, ...row, final_agent_state }, null, 2);
  await replaceFile(directory.projectionFile(log.id), `${text}\n`);
}

export function isProjected(directory: ChatDirectory, log: InteractionLog): boolean {
  const said = readFirstFields(directory.projectionFile(log.id));
  return said?.last_seq === log.state.last_seq && said.superseded_at === log.supersededAt;
}

/** Undefined if there is no whole file. */
function readFirstFields(
  path: string,
): { last_seq: number; superseded_at: string | null } | undefined {
  if (!existsSync(path)) return undefined;
  const fd = openSync(path, 'r');
  try {
    const head = readText(fd, 0);
    const tail = readText(fd, Math.max(0, fstatSync(fd).size - HEAD_BYTES));
    const match = tail.endsWith('\n}\n') ? FIRST_FIELDS.exec(head) : null;
    return match ? { last_seq: Number(match[1]), superseded_at: match[2] ?? null } : undefined;
  } finally {
    closeSync(fd);
  }
}

function readText(fd: number, position: number): string {
  const bytes = Buffer.alloc(HEAD_BYTES);
  return bytes.toString('latin1', 0, readSync(fd, bytes, 0, HEAD_BYTES, position));
}
