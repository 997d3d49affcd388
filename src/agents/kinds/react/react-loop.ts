import type { AgentContext, GenerateOptions } from '../../agent-context.js';
import { MaxIterations } from '../../max-iterations.js';

/**
 * The model calls tools until it answers.
 * @param options of each turn
 * @throws MaxIterations
 */
export async function reactLoop(
  ctx: AgentContext,
  options: () => GenerateOptions = () => ({}),
): Promise<void> {
  for (let i = 0; i < ctx.max_iterations; i++) {
    const turn = await ctx.generate(options());
    if (turn.tool_calls.length === 0) return;
    await ctx.callTools(turn.tool_calls);
  }
  throw new MaxIterations(ctx.max_iterations);
}
