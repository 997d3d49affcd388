import type { Unowned } from '../../persistence/rows/store-rows.js';
import type { RunQueue } from '../../queue/run-queue.js';
import { CrashQuarantine } from './crash-quarantine.js';

const found = (id: string, losses = 0, is_lost = true): Unowned => ({ id, losses, is_lost });

describe(CrashQuarantine.name, () => {
  let enqueued: string[];
  let turnsOver: number;
  let suspects: CrashQuarantine;

  beforeEach(() => {
    enqueued = [];
    turnsOver = 0;
    const queue = { enqueue: (id: string) => enqueued.push(id) };
    suspects = new CrashQuarantine(queue as unknown as RunQueue);
    suspects.onTurnOver(() => turnsOver++);
  });

  it('takes up together what was lost, while nothing is suspected', () => {
    suspects.takeUp([found('a', 1), found('b'), found('c', 0, false)]);
    expect(enqueued).toEqual(['a', 'b', 'c']);
    suspects.isWell('a');
    expect(turnsOver).toBe(0);
  });

  it('takes up one suspect, and nothing else that was lost', () => {
    suspects.takeUp([found('a'), found('b', 2), found('c', 2), found('d', 0, false)]);
    expect(enqueued).toEqual(['b', 'd']);
  });

  it('takes up the next when that one is well', () => {
    const left = [found('a'), found('c', 3)];
    suspects.takeUp([found('b', 2), ...left]);
    suspects.takeUp(left);
    suspects.isWell('a');
    expect({ enqueued, turnsOver }).toEqual({ enqueued: ['b'], turnsOver: 0 });
    suspects.isWell('b');
    expect(turnsOver).toBe(1);
    suspects.takeUp(left);
    suspects.isWell('c');
    suspects.takeUp([found('a')]);
    expect(enqueued).toEqual(['b', 'c', 'a']);
  });
});
