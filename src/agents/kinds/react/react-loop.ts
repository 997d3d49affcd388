import type { AgentContext, GenerateOptions, ToolOutcome, Turn } from '../../agent-context.js';
import { AppError } from '../../../kernel/app-error.js';
import { cutText } from '../../../kernel/text/cut-text.js';

/** This many turns in a row whose calls fail alike end the loop: each one costs. */
const MAX_FUTILE_TURNS = 3;
/** In characters of the failure. */
const MAX_SHOWN = 500;

/**
 * The model calls tools until it answers.
 * @param options of each turn
 * @throws MaxIterations, NoProgress
 */
export async function reactLoop(
  ctx: AgentContext,
  options: () => GenerateOptions = () => ({}),
): Promise<void> {
  let last = { failure: undefined as string | undefined, count: 0 };
  for (let i = 0; i < ctx.max_iterations; i++) {
    const turn = await ctx.generate(options());
    if (turn.tool_calls.length === 0) return;
    const outcomes = await ctx.callTools(turn.tool_calls);
    const failure = failureOf(turn, outcomes);
    last = { failure, count: failure === last.failure ? last.count + 1 : 1 };
    if (failure !== undefined && last.count >= MAX_FUTILE_TURNS)
      throw new NoProgress(outcomes[0]!, last.count);
  }
  throw new MaxIterations(ctx.max_iterations);
}

/** The calls of a turn with their errors; undefined if a call had a result. */
function failureOf({ tool_calls }: Turn, outcomes: readonly ToolOutcome[]): string | undefined {
  if (outcomes.length === 0 || !outcomes.every(({ is_error }) => is_error)) return undefined;
  const calls = tool_calls.map((call) => call.function);
  return JSON.stringify([calls, outcomes.map(({ output }) => output)]);
}

/** A model that repeats calls which fail in the same way. */
class NoProgress extends AppError {
  constructor({ tool_name, output }: ToolOutcome, turns: number) {
    super(
      'unprocessable',
      'no_progress',
      `The model made the same calls in ${turns} turns in a row, and they failed in the same way, so it is not asked again. ${tool_name}: ${cutText(output, MAX_SHOWN)}`,
    );
  }
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
