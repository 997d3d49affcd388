import { Injectable } from '@nestjs/common';
import { AgentType } from '../../agent-type.decorator.js';
import type { AgentContext } from '../../agent-context.js';
import { Agent } from '../../agent.js';
import { reactLoop } from './react-loop.js';

/** Reason and act: the model calls tools until it answers. */
@Injectable()
@AgentType({
  name: 'react',
  description: 'Thinks, calls tools, looks at their results, and goes on until it can answer.',
})
export class ReactAgent extends Agent {
  run(ctx: AgentContext): Promise<void> {
    return reactLoop(ctx);
  }
}
