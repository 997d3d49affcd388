import type { StreamEvent } from '../../../src/event-log/follow/stream-event.js';

/** One event as it came over the wire. */
export interface SseFrame {
  readonly id: string;
  readonly event: string;
  readonly data: StreamEvent;
}

/** The lines between two empty ones. */
export type SseBlock =
  | { readonly kind: 'comment' }
  | { readonly kind: 'frame'; readonly frame: SseFrame; readonly retry: number | undefined };

const FRAME_FIELDS = 'data,event,id';

/**
 * Reads one block more strictly than a browser would: a comment, or an event with exactly one line
 * each of `id`, `event` and `data`, and maybe `retry`.
 * @throws Error with the block when it is neither
 */
export function parseSseBlock(block: string): SseBlock {
  const lines = block.split('\n');
  if (lines.every((line) => line.startsWith(':'))) return { kind: 'comment' };
  const fields = new Map(lines.map(fieldOf));
  if (fields.size !== lines.length) throw oddBlock(block);
  const retry = fields.get('retry');
  fields.delete('retry');
  const names = [...fields.keys()].toSorted().join(',');
  if (names !== FRAME_FIELDS || fields.get('id') === '') throw oddBlock(block);
  const { id, event, data } = Object.fromEntries(fields) as Record<string, string>;
  return {
    kind: 'frame',
    frame: { id: id!, event: event!, data: JSON.parse(data!) as StreamEvent },
    retry: retry === undefined ? undefined : Number(retry),
  };
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(': ');
  if (colon < 1 || line.includes('\r')) throw oddBlock(line);
  return [line.slice(0, colon), line.slice(colon + 2)];
}

function oddBlock(block: string): Error {
  return new Error(
    `Not what an event stream of ours may hold: ${JSON.stringify(block.slice(0, 500))}`,
  );
}
