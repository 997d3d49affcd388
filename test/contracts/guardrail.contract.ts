import fc from 'fast-check';
import type { Guardrail, OutputPart } from '../../src/guardrails/guardrail.js';

const PARTS: readonly OutputPart[] = ['thinking', 'text', 'tool_call', 'tool_input', 'tool_output'];
const AGENT = { chat_id: 'c', interaction_id: 'int_1', agent_id: 'agent_1', agent_type: 'react' };

/** What holds for every guardrail. `words`: what it has something to say about. */
export function describeGuardrail(open: () => Guardrail, words: readonly string[]): void {
  const about = { ...AGENT, kind: 'message', signal: new AbortController().signal } as const;
  const text = fc
    .array(fc.oneof(fc.constantFrom(...words, ' ', '.'), fc.string({ unit: 'binary' })), {
      maxLength: 6,
    })
    .map((parts) => parts.join(''));

  /** What it shows of pieces, or that it trips. */
  function shown(part: OutputPart, pieces: readonly string[]): string {
    try {
      const filter = open().openOutput?.(AGENT)(part);
      if (!filter) return pieces.join('');
      return pieces.map((piece) => filter.push(piece)).join('') + filter.end();
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
      return 'tripped';
    }
  }

  it('has a name that people can read', () => {
    expect(open().name).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(open().enabled).not.toBe(false);
  });

  it('says the same of an output however it is cut into pieces', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...PARTS), (whole, part) => {
        expect(shown(part, whole.split(''))).toBe(shown(part, [whole]));
      }),
    );
  });

  it('leaves what it has let through as it is', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const once = shown('text', [whole]);
        expect(shown('text', [once])).toBe(once);
      }),
    );
  });

  it('says of any input what becomes of it', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (whole) => {
        const verdict = (await open().checkInput?.(whole, about)) ?? { verdict: 'pass' };
        expect(['pass', 'replace', 'tripwire']).toContain(verdict.verdict);
        if (verdict.verdict !== 'pass') expect(verdict.reason).not.toBe('');
      }),
    );
  });
}
