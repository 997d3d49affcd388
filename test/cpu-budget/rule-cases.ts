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
        prepare: (world) => setRules(world, decision, regexMatchers(make)),
        run: (world) => check(world, 'bash', { command }),
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
        await check(world, 'bash', { command: COMMANDS['long parts'] });
        await world.send('DELETE', '/permissions/rules?scope=global');
      },
    })),
  );
}

/** Paths of calls, judged by rules for paths. */
export function pathCases(): CpuCase[] {
  return worstTexts().flatMap(({ name, text }) =>
    ['deny', 'allow'].map((decision) => ({
      name: `a rule for paths that ${decision}: ${name}`,
      prepare: (world) => setRules(world, decision, [{ type: 'path', pattern: 'secrets/**' }]),
      run: (world) => check(world, 'read', { path: text.toWellFormed() }),
    })),
  );
}

async function check(world: CpuWorld, tool_name: string, tool_input: object): Promise<void> {
  await world.send('POST', '/permissions/check', {
    body: JSON.stringify({ tool_name, tool_input }),
  });
}

function regexMatchers(make: (n: number) => string): readonly object[] {
  return Array.from({ length: RULES }, (_, n) => ({ type: 'regex', pattern: make(n) }));
}

async function setRules(
  world: CpuWorld,
  decision: string,
  matchers: readonly object[],
): Promise<void> {
  await world.send('DELETE', '/permissions/rules?scope=global');
  for (const matcher of matchers) {
    const body = JSON.stringify({ scope: 'global', decision, matcher });
    const answer = await world.send('POST', '/permissions/rules', { body });
    if (!answer.includes('"id"')) throw new Error(answer);
  }
}
