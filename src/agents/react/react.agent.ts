import { Injectable } from '@nestjs/common';
import { AgentType } from '../agent-type.decorator.js';
import type { AgentContext } from '../agent-context.js';
import { Agent } from '../agent.js';
import { MaxIterations } from '../max-iterations.js';

/** Reason and act: the model calls tools until it answers. */
@Injectable()
@AgentType({
  name: 'react',
  description: 'Thinks, calls tools, looks at their results, and goes on until it can answer.',
})
export class ReactAgent extends Agent {
  async run(ctx: AgentContext): Promise<void> {
    for (let i = 0; i < ctx.max_iterations; i++) {
      const turn = await ctx.generate();
      if (turn.tool_calls.length === 0) return;
      await ctx.callTools(turn.tool_calls);
    }
    throw new MaxIterations(ctx.max_iterations);
  }
}
