import { createContext, Script } from 'node:vm';

/** The large work is so many times as large as the small one. */
const TIMES = 8;
/** Growth of the CPU time in between that of n log n, about 10, and that of n², 64. */
const MAX_GROWTH = 24;
/** Of measurements; more only while the growth seems too large. */
const ROUNDS = 3;
const MAX_ROUNDS = 20;
/** One measurement takes at least this CPU time, in microseconds: shorter work is repeated. */
const LEAST_US = 5_000;
/** Ends work that never ends, which a timeout of Jest can't while it holds the thread. */
const HANG_MS = 60_000;

type Work = () => unknown;

/**
 * Fails if the CPU time of some work grows faster than its size. Compares the shortest times of
 * runs of two sizes that take turns, so the verdict depends neither on the speed of the machine nor
 * on what else it does.
 * @param prepare makes the work of a size; its own time does not count
 * @param size of the large work; the small one takes more than some microseconds
 */
export async function expectLinear(prepare: (size: number) => Work, size: number): Promise<void> {
  const works = [prepare(Math.round(size / TIMES)), prepare(size)];
  for (const work of works) await endsIn(HANG_MS, work);
  const shortest = works.map(() => Infinity);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    for (const [at, work] of works.entries())
      shortest[at] = Math.min(shortest[at]!, await timeOf(work));
    if (round >= ROUNDS && shortest[1]! / shortest[0]! <= MAX_GROWTH) return;
  }
  const growth = (shortest[1]! / shortest[0]!).toFixed(1);
  const times = shortest.map((time) => `${Math.round(time)} µs`).join(' and ');
  throw new Error(`${TIMES} times the size takes ${growth} times the CPU time: ${times}`);
}

function endsIn(timeout: number, work: Work): unknown {
  return new Script('work()').runInContext(createContext({ work }), { timeout });
}

/** CPU time of one run, in microseconds. */
async function timeOf(work: Work): Promise<number> {
  const begun = process.cpuUsage();
  for (let runs = 1; ; runs++) {
    await work();
    const { user, system } = process.cpuUsage(begun);
    if (user + system >= LEAST_US) return (user + system) / runs;
  }
}
