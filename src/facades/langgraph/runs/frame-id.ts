import { parseCursor } from '../../../protocol/cursor.js';
import type { Cursor } from '../../../protocol/cursor.js';
import { invalidBody } from '../errors.js';

/** The position of a client in a run: the frames that it has. */
export interface FramePosition {
  readonly cursor: Cursor;
  /** Frames that it has of the last record. */
  readonly frames: number;
}

/** `<cursor>:<frames>` after frames of a record; a cursor after a part of a text. */
const FRAMES = /:(\d{1,6})$/;

export function formatFrameId(cursor: string, frames: number): string {
  return `${cursor}:${frames}`;
}

/**
 * Undefined: from the start.
 * @throws AppError `invalid_body` (400)
 */
export function parseFrameId(text: string | undefined): FramePosition | undefined {
  if (text === undefined || text === '-1' || text === '' || text === '0') return undefined;
  const frames = FRAMES.exec(text);
  const cursor = frames ? text.slice(0, frames.index) : text;
  try {
    return { cursor: parseCursor(cursor), frames: frames ? Number(frames[1]) : Infinity };
  } catch {
    const why = 'is no id of an event of this run: send it unchanged, or -1';
    throw invalidBody('Last-Event-ID', why);
  }
}
