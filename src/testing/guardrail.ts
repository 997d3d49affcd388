import { equal, match, notEqual, ok } from 'node:assert/strict';
import type { Guardrail, OutputPart } from '../guardrails/guardrail.js';
import { within } from './check.js';
import type { Check } from './check.js';

/** The default of `GUARDRAIL_TIMEOUT_MS`. */
const VERDICT_MS = 10_000;
const PARTS: readonly OutputPart[] = ['thinking', 'text', 'tool_call', 'tool_input', 'tool_output'];
const AGENT = { chat_id: 'c', interaction_id: 'int_1', agent_id: 'agent_1', agent_type: 'react' };
const TRIPPED = Symbol('tripped');

export interface GuardrailUnderTest {
  readonly make: () => Guardrail;
  /** About which it has something to say. */
  readonly words: readonly string[];
}

/** The contract of a `Guardrail`, as far as the server relies on it. */
export function guardrailChecks({ make, words }: GuardrailUnderTest): Check[] {
  const texts = textsOf(words);
  return [
    {
      name: 'has a name that people can read, and is enabled',
      run: async () => {
        match(make().name, /^[a-z][a-z0-9_-]*$/);
        notEqual(make().enabled, false);
      },
    },
    {
      name: 'says the same of an output however it is cut into pieces',
      run: async () => {
        for (const part of PARTS)
          for (const text of texts)
            for (const size of [1, 2, 7])
              equal(shown(make(), part, cut(text, size)), shown(make(), part, [text]), text);
      },
    },
    {
      name: 'leaves what it has let through as it is',
      run: async () => {
        for (const text of texts) {
          const once = shown(make(), 'text', [text]);
          if (typeof once === 'string') equal(shown(make(), 'text', [once]), once);
        }
      },
    },
    {
      name: 'says in time of any input what becomes of it',
      run: async () => {
        const about = { ...AGENT, kind: 'message', signal: new AbortController().signal } as const;
        for (const text of texts)
          checkVerdict(await inTime(async () => make().checkInput?.(text, about)), [
            'pass',
            'replace',
            'tripwire',
          ]);
      },
    },
    {
      name: 'says in time of any whole output whether it passes',
      run: async () => {
        const about = { ...AGENT, signal: new AbortController().signal };
        for (const text of texts)
          checkVerdict(await inTime(async () => make().checkOutput?.(text, about)), [
            'pass',
            'tripwire',
          ]);
      },
    },
  ];
}

/** Each word alone, within others, twice, and cut off; with characters of two code units. */
function textsOf(words: readonly string[]): string[] {
  const around = words.flatMap((word) => [
    ...[word, `${word}${word}`, `.${word} ${word}.`, `a ${word}\n\u{1f99c}`],
    ...[word.slice(0, -1), `x${word.slice(1)}`],
  ]);
  return ['', 'nothing special', '\u{1f99c}\ud83e', words.join(' '), ...around];
}

/** The text that readers see, or that it trips. */
function shown(guardrail: Guardrail, part: OutputPart, pieces: readonly string[]): unknown {
  const filter = guardrail.openOutput?.(AGENT)(part);
  if (!filter) return pieces.join('');
  try {
    return pieces.map((piece) => filter.push(piece)).join('') + filter.end();
  } catch (error) {
    ok(error instanceof Error || typeof error === 'string', `it threw ${String(error)}`);
    return TRIPPED;
  }
}

function cut(text: string, size: number): string[] {
  const count = Math.ceil(text.length / size);
  return Array.from({ length: count }, (_, n) => text.slice(n * size, (n + 1) * size));
}

function inTime(ask: () => Promise<unknown>): Promise<unknown> {
  return within(VERDICT_MS, 'the verdict', ask());
}

function checkVerdict(said: unknown, known: readonly string[]): void {
  if (said === undefined) return; // it does not check this
  const { verdict, reason, text } = Object(said) as Record<string, unknown>;
  ok(known.includes(String(verdict)), `the verdict is ${String(verdict)}`);
  if (verdict !== 'pass') ok(typeof reason === 'string' && reason !== '', 'there is no reason');
  if (verdict === 'replace') equal(typeof text, 'string');
}
