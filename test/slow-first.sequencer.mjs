import Sequencer from '@jest/test-sequencer';

/**
 * Without the timings of an earlier run, Jest begins with the largest files; the longest specs are
 * small ones that list suites, and would run last, on one worker.
 */
// oxlint-disable-next-line import/no-default-export -- Jest asks for it
export default class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some((test) => test.duration !== undefined)) return sorted;
    return sorted.toSorted((a, b) => rank(a.path) - rank(b.path));
  }
}

const SLOWEST = ['/test/cpu-budget/', '/test/e2e/', '/test/faults/', '/test/contracts/', '/test/'];

function rank(path) {
  const at = SLOWEST.findIndex((folder) => path.includes(folder));
  return at < 0 ? SLOWEST.length : at;
}
