import fc from 'fast-check';
import { findViolations } from './find-violations.js';
import type { ShellJudge, Violation } from './find-violations.js';
import type { Observed, Shell, ShellLab } from './shell-lab.js';
import { shrinkScript } from './shrink-script.js';

export interface HuntOptions {
  readonly judge: ShellJudge;
  readonly scripts: fc.Arbitrary<string>;
  /** Of the first batch; each further one has the next. */
  readonly seed: number;
  /** Asked before each batch. */
  readonly isOver: (done: Readonly<Tally>) => boolean;
}

export interface Tally {
  generated: number;
  allowed: number;
  /** Scripts that did more than they should have; the finds are the first of them. */
  wrong: number;
}

export interface Find {
  /** As small as it gets. */
  readonly script: string;
  readonly shell: Shell;
  /** Of the batch that it was found in. */
  readonly seed: number;
  readonly generated: string;
  readonly violations: readonly Violation[];
  readonly parts: readonly string[];
  readonly observed: Observed;
}

/** A script that was allowed and did more than it should have. */
export interface Wrong {
  readonly script: string;
  readonly shell: Shell;
  readonly violations: readonly Violation[];
  readonly observed: Observed;
}

const BATCH = 1_500;
/** Scripts that run at a time, each in a workspace of its own. */
const AT_ONCE = 100;
const MOST_OF_A_KIND = 5;
const SHELLS: readonly Shell[] = ['bash', 'sh'];

/** Generates scripts, runs those that are allowed, and collects those that did something else. */
export async function hunt(
  lab: ShellLab,
  { judge, scripts, seed, isOver }: HuntOptions,
): Promise<Tally & { readonly finds: readonly Find[] }> {
  const tally: Tally = { generated: 0, allowed: 0, wrong: 0 };
  const finds = new Map<string, Find>();
  for (let batch = seed; !isOver(tally); batch++) {
    const allowed = sample(scripts, batch).filter((script) => judge.allows(script));
    tally.generated += BATCH;
    tally.allowed += allowed.length;
    for (const wrong of await findWrong(lab, allowed, judge)) {
      tally.wrong++;
      if (countKind(finds, kindOf(wrong)) >= MOST_OF_A_KIND) continue;
      const find = await shrink(lab, wrong, { judge, seed: batch });
      finds.set(find.script, find);
    }
  }
  return { ...tally, finds: [...finds.values()] };
}

/** The worst thing that it did. */
function kindOf({ violations }: Pick<Wrong, 'violations'>): Violation['kind'] {
  const kinds = violations.map(({ kind }) => kind);
  return (
    (['ran', 'changed', 'read', 'not allowed'] as const).find((kind) => kinds.includes(kind)) ??
    'words'
  );
}

function countKind(finds: ReadonlyMap<string, Find>, kind: Violation['kind']): number {
  return [...finds.values()].filter((find) => kindOf(find) === kind).length;
}

/** A script with a NUL can't be run: no argument of a program holds one. */
function sample(scripts: fc.Arbitrary<string>, seed: number): string[] {
  const all = fc.sample(scripts, { numRuns: BATCH, seed });
  return [...new Set(all)].filter((script) => !script.includes('\0') && script.isWellFormed());
}

/** Runs each script in every shell. */
export async function findWrong(
  lab: ShellLab,
  scripts: readonly string[],
  judge: ShellJudge,
  shells = SHELLS,
): Promise<Wrong[]> {
  const trials = scripts.flatMap((script) => shells.map((shell) => ({ script, shell })));
  const wrong: Wrong[] = [];
  for (let at = 0; at < trials.length; at += AT_ONCE) {
    const some = trials.slice(at, at + AT_ONCE);
    const seen = await lab.run(some);
    for (const [i, trial] of some.entries()) {
      const observed = seen[i]!;
      const violations = findViolations(trial.script, observed, judge);
      if (violations.length > 0) wrong.push({ ...trial, violations, observed });
    }
  }
  return wrong;
}

async function shrink(
  lab: ShellLab,
  { script: generated, shell, ...first }: Wrong,
  { judge, seed }: { readonly judge: ShellJudge; readonly seed: number },
): Promise<Find> {
  const script = await shrinkScript(generated, async (candidates) => {
    const allowed = candidates.filter((candidate) => judge.allows(candidate));
    const wrong = await findWrong(lab, allowed, judge, [shell]);
    const alike = wrong.filter((each) => kindOf(each) === kindOf(first));
    return candidates.map((candidate) => alike.some((each) => each.script === candidate));
  });
  const [last = first] = await findWrong(lab, [script], judge, [shell]);
  const { violations, observed } = last;
  const parts = judge.partsOf(script).map((part) => JSON.stringify(part));
  return { script, shell, seed, generated, violations, parts, observed };
}
