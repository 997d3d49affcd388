import type { Config } from '../../config/config.js';
import type { EnqueueOptions, RunQueue } from '../../queue/run-queue.js';
import type { Found } from './crash-quarantine.js';
import { CrashQuarantine, PAUSES_MS } from './crash-quarantine.js';

const LIMIT = 5;

const found = (id: string, overrides: Partial<Found> = {}): Found => ({
  ...{ id, is_lost: true, losses: 2, alone_losses: 0, trial: 0, found_ms: 0 },
  ...overrides,
});

const suspects = (ids: string, overrides: Partial<Found> = {}): Found[] =>
  ids.split('').map((id) => found(id, overrides));

describe(CrashQuarantine.name, () => {
  let enqueued: string[];
  let handing: EnqueueOptions[];
  let releases: number;
  let quarantine: CrashQuarantine;

  beforeEach(restart);

  function restart(): void {
    enqueued = [];
    handing = [];
    releases = 0;
    const enqueue = (id: string, options: EnqueueOptions): void => {
      enqueued.push(id);
      handing.push(options);
    };
    const queue = { enqueue } as unknown as RunQueue;
    quarantine = new CrashQuarantine(queue, { crashLoopLimit: LIMIT } as Config);
    quarantine.subscribe(() => releases++);
  }

  /** The next group that these suspects give. */
  function group(all: readonly Found[]): string {
    enqueued = [];
    quarantine.enqueue(all);
    return enqueued.join('');
  }

  /** The same, and all of the group are healthy then. */
  function clear(all: readonly Found[]): string {
    const ids = group(all);
    for (const id of ids) quarantine.release(id);
    return ids;
  }

  it('takes up at once what was not lost, or once', () => {
    quarantine.enqueue([found('a', { losses: 1 }), found('b', { losses: 0, is_lost: false })]);
    expect(enqueued).toEqual(['a', 'b']);
    expect(handing).toEqual([{ affinity: 'local' }, {}]);
    expect(quarantine.trialOf('a')).toBe(0);
    quarantine.release('a');
    expect(releases).toBe(0);
  });

  it('keeps here what the queue has had for long', () => {
    const waiting = { losses: 0, is_lost: false };
    quarantine.enqueue([found('a', { ...waiting, found_ms: 9_999 })]);
    quarantine.enqueue([found('a', { ...waiting, found_ms: 10_000 })]);
    expect(handing).toEqual([{}, { affinity: 'local' }]);
  });

  it('tries all new suspects together, beside what is none', () => {
    expect(group([...suspects('abc'), found('d', { losses: 1 })])).toBe('abcd');
    expect('abcd'.split('').map((id) => quarantine.trialOf(id))).toEqual([3, 3, 3, 0]);
  });

  it('forms a group only when all of the former are healthy or over', () => {
    const [a, b, c, d] = suspects('abcd', { trial: 4 });
    expect(group([a!, b!, c!, d!])).toBe('ab');
    expect(group([c!, d!])).toBe('');
    quarantine.release('a');
    expect(group([c!, d!])).toBe('');
    expect(releases).toBe(0);
    quarantine.release('b');
    expect(releases).toBe(1);
    expect(quarantine.trialOf('b')).toBe(0);
    expect(group([c!, d!])).toBe('cd');
  });

  it('hands out again the members that no process runs yet', () => {
    const all = suspects('ab');
    expect(group(all)).toBe('ab');
    expect(group([all[1]!, ...suspects('c')])).toBe('b');
  });

  it.each([
    [7, 'abc'],
    [3, 'a'],
    [2, 'a'],
    [1, 'a'],
  ])('halves a group of %i that was lost', (trial, expected) => {
    expect(group(suspects('abcdefg', { trial }))).toBe(expected);
    expect(quarantine.trialOf('a')).toBe(expected.length);
  });

  it('doubles the size while groups of the same class come through', () => {
    let left = suspects('abcdefghij', { trial: 2 });
    const groups: string[] = [];
    while (left.length > 0) {
      const ids = clear(left);
      groups.push(ids);
      left = left.filter(({ id }) => !ids.includes(id));
    }
    expect(groups).toEqual(['a', 'bc', 'defg', 'hij']);
  });

  it('does not conclude from one class on another', () => {
    expect(clear(suspects('abcd'))).toBe('abcd');
    expect(group(suspects('xy', { trial: 2 }))).toBe('x');
  });

  it('takes the least suspicious first, then new ones, then those of the largest group', () => {
    let left = [
      found('g', { alone_losses: 2, trial: 0, found_ms: 60_000 }),
      found('f', { alone_losses: 1, trial: 1 }),
      found('e', { trial: 1 }),
      found('d', { trial: 2 }),
      ...suspects('bc', { trial: 4 }),
      found('a'),
    ];
    const order: string[] = [];
    while (left.length > 0) {
      const ids = clear(left);
      order.push(ids);
      left = left.filter(({ id }) => !ids.includes(id));
    }
    expect(order).toEqual(['a', 'bc', 'd', 'e', 'f', 'g']);
  });

  it('pauses before each attempt alone, and tells when the next pause ends', () => {
    expect(PAUSES_MS).toEqual([0, 0, 1_000, 5_000, 30_000]);
    const pauses = [0, 0, 1_000, 5_000, 30_000];
    pauses.forEach((pause, alone_losses) => {
      const attempt = { alone_losses, trial: 1 };
      restart();
      if (pause > 0) {
        expect(quarantine.enqueue([found('a', { ...attempt, found_ms: pause - 1 })])).toBe(1);
        expect(enqueued).toEqual([]);
      }
      expect(quarantine.enqueue([found('a', { ...attempt, found_ms: pause })])).toBeUndefined();
      expect(enqueued).toEqual(['a']);
    });
  });

  it('does not pause any more before it gives up', () => {
    expect(group([found('a', { alone_losses: LIMIT, trial: 1 })])).toBe('a');
  });

  it('lets others go ahead during a pause', () => {
    const paused = found('a', { alone_losses: 3, trial: 1, found_ms: 1_000 });
    enqueued = [];
    expect(quarantine.enqueue([paused, ...suspects('bc')])).toBe(4_000);
    expect(enqueued).toEqual(['b', 'c']);
  });

  it('finds several poison messages among many, however often others are cleared before', () => {
    const counters = new Map(
      'abcdefghijklmnop'.split('').map((id) => [id, { alone_losses: 0, trial: 0 }]),
    );
    let crashes = 0;
    while ([...counters.values()].some(({ alone_losses }) => alone_losses < LIMIT)) {
      restart(); // of the process
      let hasCrashed = false;
      while (!hasCrashed && counters.size > 0) {
        const left = [...counters].map(([id, counts]) => found(id, { ...counts, found_ms: 1e6 }));
        const ids = group(left).split('');
        hasCrashed = ids.some((id) => 'fk'.includes(id));
        for (const id of ids)
          if (hasCrashed) {
            const { alone_losses } = counters.get(id)!;
            const isAlone = ids.length === 1 ? 1 : 0;
            counters.set(id, { alone_losses: alone_losses + isAlone, trial: ids.length });
          } else {
            counters.delete(id);
            quarantine.release(id);
          }
      }
      if (++crashes > 40) break;
    }
    expect([...counters.keys()]).toEqual(['f', 'k']);
    expect(crashes).toBeLessThan(30);
  });
});
