import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { AgentType } from '../../agent-type.decorator.js';
import type { AgentContext } from '../../agent-context.js';
import { Agent } from '../../agent.js';
import { readOwnPrompt } from '../../prompts/read-prompt.js';
import { reactLoop } from './react-loop.js';

/** Reason and act: the model calls tools until it answers. */
@Injectable()
@AgentType({
  name: 'react',
  description: 'Thinks, calls tools, looks at their results, and goes on until it can answer.',
})
export class ReactAgent extends Agent {
  /** Empty: none. */
  private readonly prompt: string;

  /** @param config without one, it has no system prompt of its own */
  constructor(config?: Config) {
    super();
    this.prompt = config ? readOwnPrompt('react', config.systemPromptFile) : '';
  }

  run(ctx: AgentContext): Promise<void> {
    const instructions = ctx.instructions ?? this.prompt;
    return reactLoop(ctx, () => (instructions === '' ? {} : { instructions }));
  }
}
