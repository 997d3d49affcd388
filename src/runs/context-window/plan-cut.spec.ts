import fc from 'fast-check';
import { checkConversation } from '../../../test/support/runs/check-conversation.js';
import type { Message } from '../../protocol/message.js';
import type { ContextCut } from './context-marks.js';
import { WHOLE } from './context-marks.js';
import { lastMessages, planCut, summaryTokens } from './plan-cut.js';
import { renderContext } from './render-context.js';
import { TokenTable } from './token-table.js';
import { runs } from '../../../test/support/thoroughness.js';

const size = fc.oneof(fc.nat(200), fc.nat(200), fc.nat(12_000));

/** Something a person said, or a turn of the model's with the results of its calls. */
const unit = fc.oneof(
  fc.record({ said: size }),
  fc.record({ answered: size, results: fc.array(size, { maxLength: 4 }) }),
);

const conversations = fc.array(unit, { maxLength: 40 }).map((units) => [
  { role: 'user', content: 'Begin.' } as const,
  ...units.flatMap((one, at): Message[] => {
    if ('said' in one) return [{ role: 'user', content: 'u'.repeat(one.said) }];
    const ids = one.results.map((_, i) => `call_${at}_${i}`);
    const tool_calls = ids.map(
      (id) => ({ id, type: 'function', function: { name: 'tool', arguments: '{}' } }) as const,
    );
    return [
      {
        role: 'assistant',
        content: 'a'.repeat(one.answered),
        ...(ids.length > 0 && { tool_calls }),
      },
      ...one.results.map((length, i): Message => ({
        role: 'tool',
        tool_call_id: ids[i]!,
        content: 'r'.repeat(length),
      })),
    ];
  }),
]);

/**
 * Follows the plans to their end, with summaries of this share of their room; answers how the
 * conversation is sent, or undefined.
 */
function follow(
  messages: readonly Message[],
  options: { budget: number; fixed: number; task: number; share: number },
) {
  const { budget, share } = options;
  const table = new TokenTable({ ...options, messages, scale: 1 });
  let cut: ContextCut = WHOLE;
  for (let steps = 0; steps < 4; steps++) {
    const plan = planCut({ messages, cut, table, budget });
    if (plan.kind === 'send') return { cut, tokens: table.total(cut), table };
    if (!('cut' in plan)) return { table };
    expect(table.total(plan.cut)).toBeLessThan(table.total(cut));
    expect(plan.kind === 'drop').toBe(plan.cut.from > cut.from);
    const summary =
      plan.kind === 'drop' ? 's'.repeat(summaryTokens(budget) * 4 * share) : plan.cut.summary;
    cut = { ...plan.cut, summary };
  }
  throw new Error('It does not come to an end.');
}

describe(planCut.name, () => {
  it('comes to a valid conversation that fits, or says that there is none (I8)', () => {
    const options = fc.record({
      budget: fc.integer({ min: 750, max: 20_000 }),
      fixed: fc.nat(800),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      task: fc.nat(10),
    });
    let cuts = 0;
    const property = fc.property(conversations, options, (messages, { task: near, ...rest }) => {
      const task = messages.findLastIndex(({ role }, at) => role === 'user' && at <= near);
      const { cut, tokens, table } = follow(messages, { ...rest, task });
      if (!cut)
        return expect(
          table.total({ ...WHOLE, references_before: messages.length }),
        ).toBeGreaterThan(rest.budget * 0.8);
      expect(tokens).toBeLessThanOrEqual(rest.budget);
      const sent = renderContext({ messages, cut, task });
      expect(checkConversation(sent)).toEqual([]);
      expect(sent).toContain(messages[task]);
      const last = messages.at(-1)!;
      expect(sent.at(-1)).toMatchObject({ role: last.role });
      if (cut !== WHOLE) cuts++;
      else expect(sent).toEqual(messages);
    });
    fc.assert(property, { seed: 20_260_115, numRuns: runs(1_000) });
    expect(cuts).toBeGreaterThan(runs(100));
  });

  it('leaves a conversation alone that is not near its budget', () => {
    const messages: Message[] = [{ role: 'user', content: 'x'.repeat(3_000) }];
    const table = new TokenTable({ messages, task: 0, fixed: 0, scale: 1 });
    expect(planCut({ messages, cut: WHOLE, table, budget: 1_000 })).toEqual({ kind: 'send' });
    expect(planCut({ messages, cut: WHOLE, table, budget: 900 })).toEqual({ kind: 'send' });
    expect(planCut({ messages, cut: WHOLE, table, budget: 700 })).toEqual({ kind: 'overflow' });
  });
});

describe(lastMessages.name, () => {
  it('takes at most so many, in whole turns, and always the last one', () => {
    fc.assert(
      fc.property(conversations, fc.integer({ min: 1, max: 60 }), (messages, count) => {
        const from = lastMessages(messages, count);
        const sent = renderContext({
          messages,
          cut: { ...WHOLE, from },
          ...{ task: 0, window: from },
        });
        checkConversation(sent);
        const lastTurn = messages.findLastIndex(({ role }) => role !== 'tool');
        expect(from).toBeLessThanOrEqual(lastTurn);
        if (from < lastTurn) expect(messages.length - from).toBeLessThanOrEqual(count);
        if (count >= messages.length) expect(sent).toEqual(messages);
      }),
      { numRuns: runs(300) },
    );
  });
});
