import { AppError } from '../kernel/app-error.js';

/**
 * The position of a reader: the last record it has, and its offset in each block that is open.
 * On the wire `<seq>[~<block_id>.<offset>…]`; offsets count UTF-16 code units.
 */
export interface Cursor {
  readonly seq: number;
  readonly offsets: ReadonlyMap<string, number>;
}

/** More than any tree of agents has open at once; limits the cost of parsing. */
const MAX_LENGTH = 8192;
const SHAPE = /^(?:0|[1-9]\d*)(?:~[a-z0-9]{1,32}\.(?:0|[1-9]\d*))*$/;

export const START: Cursor = { seq: 0, offsets: new Map() };

export function formatCursor(seq: number, offsets: ReadonlyMap<string, number>): string {
  let text = String(seq);
  for (const [block, offset] of offsets) text += `~${block}.${offset}`;
  return text;
}

/** @throws AppError `invalid_cursor` (400) */
export function parseCursor(text: string): Cursor {
  if (text.length > MAX_LENGTH || !SHAPE.test(text)) throw invalidCursor();
  const [seq, ...blocks] = text.split('~');
  const offsets = new Map<string, number>();
  for (const block of blocks) {
    const dot = block.indexOf('.');
    const id = block.slice(0, dot);
    if (offsets.has(id)) throw invalidCursor();
    offsets.set(id, toPlace(block.slice(dot + 1)));
  }
  return { seq: toPlace(seq!), offsets };
}

/** A number above the safe integers is ahead of every log, so the exact value is irrelevant. */
function toPlace(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}

function invalidCursor(): AppError {
  return new AppError(
    'invalid',
    'invalid_cursor',
    'Malformed cursor. Send the id of the last event you received, unchanged, or none to start from the beginning.',
  );
}
