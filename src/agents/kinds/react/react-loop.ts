import type { AgentContext, GenerateOptions } from '../../agent-context.js';
import { AppError } from '../../../kernel/app-error.js';

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

/** An agent that has reached the maximum number of iterations of its loop. */
export class MaxIterations extends AppError {
  constructor(limit: number) {
    super(
      'unprocessable',
      'max_iterations',
      `The agent was not done after ${limit} turns. Send another message to let it go on, or start with a higher max_iterations.`,
    );
  }
}
