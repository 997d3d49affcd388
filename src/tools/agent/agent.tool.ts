import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ToolProvider } from '../core/tool-provider.decorator.js';
import { Tool } from '../core/tool.js';
import type { ToolContext, ToolPolicy } from '../core/tool.js';

const input = z.object({
  prompt: z
    .string()
    .min(1)
    .max(100_000)
    .describe('The task, complete in itself: the agent sees nothing of this conversation.'),
  agent_type: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('The kind of agent; react if left out.'),
});

type Input = z.output<typeof input>;

/**
 * Lets a model delegate a task to a child agent. Permission rules judge each effect of the child by
 * itself, as if the model had caused it.
 */
@Injectable()
@ToolProvider()
export class AgentTool extends Tool<Input> {
  readonly name = 'agent';
  readonly description =
    'Hands a task to another agent, which works on it on its own with the same tools, and answers with its result. Call it several times at once for tasks that do not depend on each other.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'agent',
    read_only: true,
    risk: 'low',
    recovery: 'replay',
  };
  /** No timeout: an agent may run for long, and each of its effects has its own limit. */
  override readonly timeout_ms = 0;

  async execute(
    { prompt, agent_type }: Input,
    { run_agent }: Pick<ToolContext, 'run_agent'>,
  ): Promise<string> {
    const answer = await run_agent(prompt, agent_type === undefined ? {} : { agent_type });
    return answer || 'The agent finished without an answer.';
  }
}
