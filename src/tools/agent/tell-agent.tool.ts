import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ToolProvider } from '../core/tool-provider.decorator.js';
import { Tool } from '../core/tool.js';
import type { ToolContext, ToolPolicy } from '../core/tool.js';

const input = z.object({
  text: z.string().min(1).max(16_384),
  agent_id: z
    .string()
    .max(64)
    .optional()
    .describe('An agent that you have started; the agent that has started you unless given.'),
});

type Input = z.output<typeof input>;

export const TELL_AGENT = 'tell_agent';

/** Lets a child agent report to its parent before it has ended, or a parent tell a child. */
@Injectable()
@ToolProvider()
export class TellAgentTool extends Tool<Input> {
  readonly name = TELL_AGENT;
  readonly description =
    'Leaves a note for the agent that has started you, or for one that you have started. It is read with that agent’s next turn; there is no answer.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'agent',
    read_only: true,
    risk: 'low',
    recovery: 'replay',
  };

  async execute(
    { text, agent_id }: Input,
    { tell_agent }: Pick<ToolContext, 'tell_agent'>,
  ): Promise<string> {
    await tell_agent(text, agent_id);
    return 'The note is left.';
  }
}
