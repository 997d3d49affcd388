import { randomInt } from 'node:crypto';
import { whyNotConfined } from '../support/shell/confine.js';
import { quoteAll } from '../support/shell/find-violations.js';
import type { ShellJudge } from '../support/shell/find-violations.js';
import { COMMANDS } from '../support/shell/fragments.js';
import {
  scriptsToAllow,
  scriptsToDeny,
  scriptsToWrite,
} from '../support/shell/generate-scripts.js';
import { findWrong, hunt } from '../support/shell/hunt.js';
import type { Find, Tally, Wrong } from '../support/shell/hunt.js';
import { ShellLab } from '../support/shell/shell-lab.js';
import { EXHAUSTIVE } from '../support/thoroughness.js';
import { allowing, careless, denying, plain, writing } from './shell-judges.js';
import { TRICKS } from './shell-tricks.js';

/**
 * Scripts that the rules allow are run in real shells, which may do only what was judged. By
 * default always the same scripts; with EXHAUSTIVE=1 others each time, for SHELL_TRIAL_MINUTES.
 */
const SEED = Number(process.env['SHELL_TRIAL_SEED'] ?? (EXHAUSTIVE ? randomInt(2 ** 30) : 1));
const MINUTES = Number(process.env['SHELL_TRIAL_MINUTES'] ?? 60);

const HUNTS = [
  { title: 'rules that allow commands', judge: allowing, scripts: scriptsToAllow, share: 0.4 },
  { title: 'any plain script', judge: plain, scripts: scriptsToAllow, share: 0.2 },
  { title: 'rules that deny commands', judge: denying, scripts: scriptsToDeny, share: 0.25 },
  { title: 'rules for programs that write', judge: writing, scripts: scriptsToWrite, share: 0.15 },
] as const;
/** Scripts of all hunts together, and the least share of them that has to be allowed. */
const SCRIPTS = 30_000;
const LEAST_ALLOWED = 0.03;

const unsafe = whyNotConfined();
if (unsafe !== undefined) skip(`Skipped: ${unsafe}.`);

(unsafe === undefined ? describe : describe.skip)(
  'shells beside the judge of their scripts',
  () => {
    let lab: ShellLab;

    beforeAll(() => {
      lab = new ShellLab();
      if (lab.readsUnseen !== undefined)
        skip(`What scripts read is not checked: ${lab.readsUnseen}.`);
    });

    afterAll(() => lab.close());

    describe('the trial itself', () => {
      it.each<[string, 'bash' | 'sh', string[]]>([
        ['ls', 'bash', []],
        ['ls; touch pwned', 'bash', ['ran touch pwned']],
        ['ls; touch pwned', 'sh', ['ran touch pwned']],
        ["ls 'a b'", 'bash', ["words ls 'a b'", "words ls 'a b'"]],
        ['ls; nosuch x', 'bash', ['ran nosuch x']],
        ['ls; nosuch x', 'sh', ['ran nosuch']],
        ['ls; eval x=1', 'bash', ['ran eval x=1']],
        ['ls >pwned', 'bash', ['changed pwned']],
        ['ls >../pwned', 'sh', ['changed ../pwned']],
        ['ls >>src/x.ts', 'sh', ['changed src/x.ts']],
        ['ls -- & sleep 9 & exit', 'sh', ['words ls --', 'ran sleep 9']],
        ["ls '\u00a0\u0085\u{10ffff}'", 'bash', ["words ls '\u00a0\u0085\u{10ffff}'"]],
      ])('sees what %s does in %s', async (script, shell, expected) => {
        const [wrong] = await findWrong(lab, [script], careless, [shell]);
        const found = wrong?.violations.filter(({ kind }) => kind !== 'not allowed') ?? [];
        expect(new Set(found.map(({ kind, what }) => `${kind} ${what}`))).toEqual(
          new Set(expected),
        );
      });

      it('sees what is read', async () => {
        if (lab.readsUnseen !== undefined) return;
        for (const script of ['ls <canary', 'ls; . ./canary', 'cat <<< $(<canary)']) {
          const [wrong] = await findWrong(lab, [script], careless, ['bash']);
          expect(wrong?.violations).toContainEqual({ kind: 'read', what: 'canary' });
        }
      });

      it('blames for the folder of Git only a judge that guards it', async () => {
        const blame = async (judge: ShellJudge) =>
          (await findWrong(lab, ['touch .git'], judge, ['bash'])).flatMap(
            ({ violations }) => violations,
          );
        expect(await blame(plain)).toEqual([]);
        expect(await blame({ ...plain, secrets: ['.git/config'] })).toEqual([
          { kind: 'changed', what: 'touch .git' },
        ]);
      });

      it('finds and shrinks what a careless judge overlooks', async () => {
        const { finds } = await hunt(lab, {
          ...{ judge: careless, scripts: scriptsToAllow, seed: 1 },
          isOver: ({ generated }) => generated > 0,
        });
        const kinds = new Set(
          finds.flatMap(({ violations }) => violations.map(({ kind }) => kind)),
        );
        expect([...kinds]).toEqual(expect.arrayContaining(['ran', 'changed', 'words']));
        expect(finds.every(({ script, generated }) => script.length <= generated.length)).toBe(
          true,
        );
      }, 600_000); // shrinking runs each find many times

      it.each(TRICKS)('knows tricks that work: %s', async (_, ...scripts) => {
        const secrets = ['.git/config'];
        const everything = { ...careless, allows: () => true, partsOf: () => [], secrets };
        const wrong = await findWrong(lab, scripts, everything, ['bash']);
        const worked = wrong.filter(({ violations }) =>
          violations.some(({ kind, what }) => kind === 'changed' || TOOLS_OF_TRICKS.test(what)),
        );
        expect(worked.map(({ script }) => script)).toEqual(scripts);
      });
    });

    it.each(TRICKS)('are not tricked by %s', async (_, ...scripts) => {
      for (const judge of [allowing, writing]) {
        const allowed = scripts.filter((script) => judge.allows(script));
        expect((await findWrong(lab, allowed, judge)).map(describeWrong)).toEqual([]);
      }
    });

    it('do what was judged of ordinary commands', async () => {
      const { ordinary, denied, writing: written } = COMMANDS;
      const allowed = ordinary.filter((script) => allowing.allows(script));
      expect((await findWrong(lab, allowed, allowing)).map(describeWrong)).toEqual([]);
      expect(allowed.length).toBeGreaterThan(ordinary.length / 3);
      expect(denied.filter((script) => denying.allows(script))).toEqual([]);
      expect(written.filter((script) => writing.allows(script)).length).toBeGreaterThan(5);
    });

    it.each(HUNTS)(
      'do only what was judged: $title',
      async ({ title, judge, scripts, share }) => {
        const end = performance.now() + MINUTES * 60_000 * share;
        const isOver = ({ generated }: Tally) =>
          EXHAUSTIVE ? performance.now() > end : generated >= SCRIPTS * share;
        const { finds, ...tally } = await hunt(lab, { judge, scripts, seed: SEED, isOver });
        const { generated, allowed, wrong } = tally;
        process.stderr.write(
          `Scripts for ${title}, SHELL_TRIAL_SEED=${SEED}: ${generated} generated, ${allowed} allowed and run, ${wrong} wrong\n`,
        );
        expect(finds.map(describeFind)).toEqual([]);
        expect(allowed).toBeGreaterThan(generated * LEAST_ALLOWED);
      },
      EXHAUSTIVE ? (MINUTES + 10) * 60_000 : 600_000,
    );
  },
);

/** @throws Error if nothing may be skipped */
function skip(message: string): void {
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(message);
  process.stderr.write(`${message}\n`);
}

const TOOLS_OF_TRICKS = /^(?:touch|pwned|man|cp|mv|\.\/evil\.sh)\b/;

function describeWrong({ script, shell, violations }: Wrong): string {
  return `${shell}: ${script}: ${violations.map(({ kind, what }) => `${kind} ${what}`).join(', ')}`;
}

/** What is needed to run it again, and to see what was overlooked. */
function describeFind({ script, shell, seed, generated, violations, parts, observed }: Find) {
  const ran = [...observed.programs, ...observed.traced].map(quoteAll);
  return { script, shell, seed, generated, violations, parts, ran };
}
