import type { AgentContext, ToolOutcome, Turn } from '../../agent-context.js';
import { reactLoop } from './react-loop.js';

interface Played {
  readonly calls: readonly (readonly [name: string, args: string, output: string, ok?: 'ok'])[];
}

/** A model that makes these calls, turn by turn, and then the last ones again and again. */
function world(...turns: readonly Played[]) {
  let asked = 0;
  const current = (): Played => turns[Math.min(asked, turns.length) - 1]!;
  const ctx = {
    max_iterations: 10,
    generate: () => {
      asked++;
      const tool_calls = current().calls.map(([name, args], at) => ({
        ...{ id: `call_${asked}_${at}`, type: 'function' as const },
        function: { name, arguments: args },
      }));
      return Promise.resolve({ text: `Turn ${asked}`, tool_calls } as unknown as Turn);
    },
    callTools: () => {
      const outcomes = current().calls.map(([tool_name, , output, ok], at) => ({
        ...{ tool_call_id: `call_${asked}_${at}`, tool_name, output, is_error: ok !== 'ok' },
      }));
      return Promise.resolve<readonly ToolOutcome[]>(outcomes);
    },
  } as unknown as AgentContext;
  return { run: () => reactLoop(ctx), asked: () => asked };
}

const BROKEN = { calls: [['read', '{"path', 'not valid JSON']] } as const;
const UNKNOWN = { calls: [['teleport', '{}', 'There is no tool "teleport".']] } as const;

describe(reactLoop.name, () => {
  it.each([
    ['unreadable arguments', BROKEN],
    ['a tool that does not exist', UNKNOWN],
    ['two calls', { calls: [...BROKEN.calls, ...UNKNOWN.calls] }],
    ['an error of very long text', { calls: [['read', '{}', '😀'.repeat(2_000)]] } as const],
  ])('does not pay for a fourth turn with %s', async (_, played) => {
    const { run, asked } = world(played);
    const error: unknown = await run().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'no_progress' });
    expect((error as Error).message).toContain(played.calls[0][0]);
    expect((error as Error).message.isWellFormed()).toBe(true);
    expect(asked()).toBe(3);
  });

  it.each<[string, Played[]]>([
    ['a result between them', [BROKEN, BROKEN, { calls: [['read', '{}', 'text', 'ok']] }, BROKEN]],
    ['other arguments', [BROKEN, BROKEN, { calls: [['read', '{"pat', 'not valid JSON']] }]],
    ['another error', [BROKEN, BROKEN, { calls: [['read', '{"path', 'timed out']] }]],
    ['results', [{ calls: [['read', '{}', 'text', 'ok']] }]],
    ['a result beside the error', [{ calls: [['read', '{}', 'text', 'ok'], ...UNKNOWN.calls] }]],
  ])('goes on after %s', async (_, turns) => {
    const { run, asked } = world(...turns);
    await expect(run()).rejects.toThrow(/not asked again|was not done/);
    expect(asked()).toBeGreaterThan(3);
  });
});
