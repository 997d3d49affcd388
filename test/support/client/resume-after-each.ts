import type { ApiClient } from './api-client.js';
import { EventReader } from './event-reader.js';
import { random } from '../random.js';
import { EXHAUSTIVE } from '../thoroughness.js';
import type { EventFrame } from '../../../client/strict-reader.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

/** Of those where another type of event begins, and of the others. */
const MOST_BOUNDARIES = 4;
const MOST_OTHERS = 2;

/**
 * Readers of an interaction that has ended, which lost the connection after one of these frames
 * each and came back for the rest: at most eight of them, with `EXHAUSTIVE=1` one for each frame.
 */
export async function resumeAfterEach(
  api: ApiClient,
  of: Pick<Interaction, 'chat_id' | 'id'>,
  frames: readonly EventFrame[],
): Promise<EventReader[]> {
  const readers: EventReader[] = [];
  for (const cut of EXHAUSTIVE ? frames.keys() : sampleCuts(frames)) {
    const reader = await new EventReader().readAll(frames.slice(0, cut + 1));
    readers.push(reader.done ? reader : await api.follow(of, undefined, reader));
  }
  return readers;
}

/** The first frame, the last one, some after which another type of event comes, and some others. */
function sampleCuts(frames: readonly EventFrame[]): readonly number[] {
  const last = frames.length - 1;
  const inner = shuffled([...frames.keys()].slice(1, -1));
  const isBoundary = (cut: number): boolean => frames[cut]!.event !== frames[cut + 1]!.event;
  const boundaries = inner.filter(isBoundary).slice(0, MOST_BOUNDARIES);
  const others = inner.filter((cut) => !isBoundary(cut)).slice(0, MOST_OTHERS);
  return [...new Set([0, ...boundaries, ...others, last])].filter((cut) => cut >= 0);
}

/** Always in the same way. */
function shuffled(cuts: readonly number[]): number[] {
  const next = random(cuts.length);
  return cuts
    .map((cut) => ({ cut, order: next() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ cut }) => cut);
}
