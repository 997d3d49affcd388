import type { CpuCase, CpuWorld } from './cpu-world.js';
import { worstTexts } from './worst-shapes.js';

/** As many as one command may have, by a little. */
const PARTS = 190;
const RULES = 20;

const commandOf = (part: (n: number) => string): string =>
  Array.from({ length: PARTS }, (_, n) => part(n)).join('; ');

/** Commands of many parts. */
const COMMANDS: Readonly<Record<string, string>> = {
  'short parts': commandOf((n) => `ls ${n}`),
  'long parts': commandOf((n) => `ls ${'a'.repeat(90)} ${n}`),
  'parts with spaces': commandOf((n) => `git log ${'- '.repeat(30)}${n}`),
  'parts with options': commandOf((n) => `git ${'-a '.repeat(30)}${n}`),
  'parts with expansions': commandOf((n) => `echo "$a${n}" \${b:-c} $(ls ${n})`),
  'parts with paths': commandOf((n) => `cat ${'a/'.repeat(40)}${n}`),
};

/** Patterns that are dear to search for. */
const PATTERNS: Readonly<Record<string, (n: number) => string>> = {
  'nested repetitions': (n) => `^(a+)+b${n}$`,
  'many alternatives': (n) => `(${Array.from({ length: 40 }, (_, k) => `a${k}${n}`).join('|')})$`,
  'counted repetitions': (n) => `(a{1,9}.*){1,9}b${n}`,
  'wide classes': (n) => `[^a-z]*\\p{L}+.*[a-z]{20}${n}$`,
};

/** A command of many parts, judged by many rules with regular expressions. */
export function ruleCases(): CpuCase[] {
  return Object.entries(PATTERNS).flatMap(([pattern, make]) =>
    ['deny', 'ask', 'allow'].flatMap((decision) =>
      Object.entries(COMMANDS).map(([name, command]) => ({
        name: `rules that ${decision} ${pattern}: ${name}`,
        prepare: (world) => setRules(world, decision, make),
        run: (world) => check(world, command),
      })),
    ),
  );
}

/** Patterns of rules with each of the worst texts. */
export function patternCases(): CpuCase[] {
  const longest = 1_000;
  return [
    ...worstTexts(longest).map(({ name, text }) => [name, text] as const),
    ...['(a*)*', '(a{1,99}){1,99}', '((a|b)?)*', '\\p{L}{1,500}'].map(
      (text) => [text, text.repeat(longest / text.length)] as const,
    ),
  ].flatMap(([name, pattern]) =>
    ['regex', 'path', 'command_prefix', 'tool'].map((type) => ({
      name: `a rule of ${type}: ${name}`,
      run: async (world) => {
        const matcher = { type, pattern };
        const body = JSON.stringify({ scope: 'global', decision: 'ask', matcher });
        await world.send('POST', '/permissions/rules', { body });
        await check(world, COMMANDS['long parts']!);
        await world.send('DELETE', '/permissions/rules?scope=global');
      },
    })),
  );
}

async function check(world: CpuWorld, command: string): Promise<void> {
  const body = JSON.stringify({ tool_name: 'bash', tool_input: { command } });
  await world.send('POST', '/permissions/check', { body });
}

async function setRules(
  world: CpuWorld,
  decision: string,
  make: (n: number) => string,
): Promise<void> {
  await world.send('DELETE', '/permissions/rules?scope=global');
  for (let n = 0; n < RULES; n++) {
    const matcher = { type: 'regex', pattern: make(n) };
    const body = JSON.stringify({ scope: 'global', decision, matcher });
    const answer = await world.send('POST', '/permissions/rules', { body });
    if (!answer.includes('"id"')) throw new Error(answer);
  }
}
