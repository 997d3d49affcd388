import { Subject } from 'rxjs';
import type { FollowedEvent } from '../event-log/follow/follower.js';
import { START, formatCursor, parseCursor } from '../protocol/cursor.js';
import type { Cursor } from '../protocol/cursor.js';
import { MAX_WAITING, followEvents } from './follow-events.js';

const event = (seq: number) =>
  ({ cursor: formatCursor(seq, new Map()), event: {} }) as unknown as FollowedEvent;
const seqOf = ({ cursor }: FollowedEvent) => parseCursor(cursor).seq;

/** What is asked of it, and where it sends events. */
function setUp(signal = new AbortController().signal) {
  const opened: { readonly from: Cursor; readonly events: Subject<FollowedEvent> }[] = [];
  const open = (from: Cursor) => {
    const events = new Subject<FollowedEvent>();
    opened.push({ from, events });
    return events;
  };
  return { opened, iterator: followEvents({ from: START, signal, open }) };
}

describe(followEvents.name, () => {
  it('reads on from the last event that a slow reader took, once it has too many', async () => {
    const { opened, iterator } = setUp();
    const first = iterator.next();
    const { events } = opened[0]!;
    for (let seq = 1; seq <= MAX_WAITING + 10; seq++) events.next(event(seq));
    expect(seqOf((await first).value as FollowedEvent)).toBe(1);
    let last = 1;
    while (last < MAX_WAITING) last = seqOf((await iterator.next()).value as FollowedEvent);
    const next = iterator.next();
    await new Promise(setImmediate);
    expect(events.observed).toBe(false);
    expect(opened[1]?.from.seq).toBe(MAX_WAITING);
    opened[1]?.events.next(event(MAX_WAITING + 1));
    expect(seqOf((await next).value as FollowedEvent)).toBe(MAX_WAITING + 1);
    opened[1]?.events.complete();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('throws what the events fail with, after those before', async () => {
    const { opened, iterator } = setUp();
    const first = iterator.next();
    opened[0]?.events.next(event(1));
    opened[0]?.events.error(new Error('gone'));
    expect(seqOf((await first).value as FollowedEvent)).toBe(1);
    await expect(iterator.next()).rejects.toThrow('gone');
  });

  it('ends at once when it is told to, and leaves the events', async () => {
    const stop = new AbortController();
    const { opened, iterator } = setUp(stop.signal);
    const first = iterator.next();
    opened[0]?.events.next(event(1));
    stop.abort();
    expect((await first).done).toBe(true);
    expect(opened[0]?.events.observed).toBe(false);
  });
});
