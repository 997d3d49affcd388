import { EXHAUSTIVE, some } from '../support/thoroughness.js';
import type { CpuCase } from './cpu-world.js';

/** As `<place>: <shape>`, with what is done there behind it. */
const NAME = /^(?<place>.*?): (?<shape>.*?)(?<done>, asked about)?$/s;

/**
 * By default about `count` of the cases: each place with one shape at least, each shape in one
 * place at least, and others at even distances.
 */
export function sampleOf(cases: readonly CpuCase[], count: number): readonly CpuCase[] {
  if (EXHAUSTIVE || cases.length <= count) return cases;
  const sample = new Set<CpuCase>();
  const known = new Set<string>();
  for (const isEnough of [1, 0])
    for (const one of cases) {
      const added = aspectsOf(one).filter((aspect) => !known.has(aspect));
      if (added.length <= isEnough) continue;
      sample.add(one);
      for (const aspect of added) known.add(aspect);
    }
  const missing = count - sample.size;
  if (missing < 2) return [...sample];
  return [
    ...sample,
    ...some(
      cases.filter((one) => !sample.has(one)),
      missing,
    ),
  ];
}

function aspectsOf({ name }: CpuCase): string[] {
  const { place = name, shape, done = '' } = NAME.exec(name)?.groups ?? {};
  return [`at ${place}${done}`, ...(shape === undefined ? [] : [`of ${shape}`])];
}
