import type { Timeline } from './spans';

/** Idle times are drawn at most this long, in parts of the time that is worked. */
const MOST_IDLE = 0.2;
const LEAST_MS = 200;

interface Interval {
  readonly from: number;
  readonly to: number;
}

/** From times to places between 0 and 1. Long waits are drawn shorter than they were. */
export class Scale {
  private readonly pieces: readonly (Interval & { readonly start: number; readonly per: number })[];
  private readonly total: number;
  /** Some wait is drawn shorter than it was. */
  readonly isShortened: boolean;

  constructor(begin: number, end: number, work: readonly Interval[]) {
    const worked = work.reduce((sum, { from, to }) => sum + to - from, 0);
    const most = Math.max(worked * MOST_IDLE, LEAST_MS);
    let start = 0;
    const pieces = [];
    for (const piece of withGaps(begin, end, work)) {
      const length = piece.to - piece.from;
      const drawn = piece.isIdle ? Math.min(length, most) : length;
      if (length > 0) pieces.push({ ...piece, start, per: drawn / length });
      start += drawn;
    }
    this.pieces = pieces;
    this.total = start;
    this.isShortened = pieces.some(({ per }) => per < 1);
  }

  x(time: number): number {
    if (this.total === 0) return 0;
    let [low, high] = [0, this.pieces.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.pieces[middle]!.from <= time) low = middle;
      else high = middle - 1;
    }
    const { from, to, start, per } = this.pieces[low]!;
    return (start + (Math.min(Math.max(time, from), to) - from) * per) / this.total;
  }
}

/** @param end the last record, or now if it runs */
export function scaleOf({ begin, spans }: Timeline, end: number): Scale {
  const of = (kinds: readonly string[]): readonly Interval[] =>
    union(
      spans
        .filter(({ kind }) => kinds.includes(kind))
        .map(({ from, to }) => ({ from, to: to ?? end })),
    );
  // A tool that asks a person, or whose agent does, does not work meanwhile.
  const tools = without(of(['tool']), of(['wait']));
  return new Scale(begin, end, union([...of(['turn']), ...tools]));
}

/** The same times as intervals in order that do not touch. */
export function union(intervals: readonly Interval[]): readonly Interval[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of [...intervals].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

function without(intervals: readonly Interval[], holes: readonly Interval[]): readonly Interval[] {
  let next = 0;
  return intervals.flatMap(({ from, to }) => {
    const parts: Interval[] = [];
    while (next > 0 && holes[next - 1]!.to > from) next--;
    while (next < holes.length && holes[next]!.to <= from) next++;
    let at = from;
    for (let index = next; index < holes.length && holes[index]!.from < to; index++) {
      const hole = holes[index]!;
      if (hole.from > at) parts.push({ from: at, to: hole.from });
      at = Math.max(at, hole.to);
    }
    if (at < to) parts.push({ from: at, to });
    return parts;
  });
}

function* withGaps(begin: number, end: number, work: readonly Interval[]) {
  let at = begin;
  for (const { from, to } of work) {
    const [start, stop] = [Math.max(from, at), Math.min(to, end)];
    if (stop <= start) continue;
    if (start > at) yield { from: at, to: start, isIdle: true };
    yield { from: start, to: stop, isIdle: false };
    at = stop;
  }
  if (at < end) yield { from: at, to: end, isIdle: true };
}
