import { readFile } from 'node:fs/promises';
import type { ChatRow } from '../../persistence/rows/store-rows.js';
import type { ChatDirectory } from './chat-directory.js';
import { replaceDurably } from './durable-files.js';
import type { InteractionLog } from './interaction-log.js';
import type { BranchMarks } from './branch-marks.js';

/** chat.json: the chat, and which of its interactions are off the active branch. */
export type ChatFile = ChatRow & {
  /** How many turns it knows of: the logs may know of later ones after a crash. */
  readonly turns: number;
  /** Since when, by id. */
  readonly superseded: Readonly<Record<string, string>>;
};

export interface WritableChat {
  readonly directory: ChatDirectory;
  readonly row: ChatRow;
  readonly turns: number;
  readonly logs: readonly InteractionLog[];
}

/** @param marks what becomes of the branches with this writing */
export async function writeChatFile(
  { directory, row, turns, logs }: WritableChat,
  marks: BranchMarks = new Map(),
): Promise<void> {
  const superseded: Record<string, string> = {};
  for (const log of logs) {
    const mark = marks.get(log);
    const at = mark === undefined ? log.supersededAt : mark;
    if (at !== null) superseded[log.id] = at;
  }
  const file: ChatFile = { ...row, turns, superseded };
  await replaceDurably(directory.chatFile, `${JSON.stringify(file, null, 2)}\n`);
}

/** Undefined if there is none; `damaged` if it is no chat. */
export async function readChatFile(
  directory: ChatDirectory,
): Promise<ChatFile | 'damaged' | undefined> {
  try {
    return toChatFile(JSON.parse(await readFile(directory.chatFile, 'utf8')) as SavedFile);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'damaged';
  }
}

/** Before there were branches, it had the number of starts only. */
type SavedFile = Partial<ChatFile> & { readonly starts?: number };

function toChatFile({ starts, ...file }: SavedFile): ChatFile | 'damaged' {
  const { id, turns = starts, superseded = {} } = file;
  const whole = typeof id === 'string' && typeof turns === 'number';
  return whole ? ({ ...file, turns, superseded } as ChatFile) : 'damaged';
}
