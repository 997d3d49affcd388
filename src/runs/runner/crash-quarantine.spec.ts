import type { Unowned } from '../../persistence/rows/store-rows.js';
import type { RunQueue } from '../../queue/run-queue.js';
import { CrashQuarantine } from './crash-quarantine.js';

const found = (id: string, losses = 0, is_lost = true): Unowned => ({ id, losses, is_lost });

describe(CrashQuarantine.name, () => {
  let enqueued: string[];
  let releases: number;
  let quarantine: CrashQuarantine;

  beforeEach(() => {
    enqueued = [];
    releases = 0;
    const queue = { enqueue: (id: string) => enqueued.push(id) };
    quarantine = new CrashQuarantine(queue as unknown as RunQueue);
    quarantine.subscribe(() => releases++);
  });

  it('takes up together what was lost, while nothing is suspected', () => {
    quarantine.enqueue([found('a', 1), found('b'), found('c', 0, false)]);
    expect(enqueued).toEqual(['a', 'b', 'c']);
    quarantine.release('a');
    expect(releases).toBe(0);
  });

  it('takes up one suspect, and nothing else that was lost', () => {
    quarantine.enqueue([found('a'), found('b', 2), found('c', 2), found('d', 0, false)]);
    expect(enqueued).toEqual(['b', 'd']);
  });

  it('takes up the next when that one is well', () => {
    const left = [found('a'), found('c', 3)];
    quarantine.enqueue([found('b', 2), ...left]);
    quarantine.enqueue(left);
    quarantine.release('a');
    expect({ enqueued, releases }).toEqual({ enqueued: ['b'], releases: 0 });
    quarantine.release('b');
    expect(releases).toBe(1);
    quarantine.enqueue(left);
    quarantine.release('c');
    quarantine.enqueue([found('a')]);
    expect(enqueued).toEqual(['b', 'c', 'a']);
  });
});
