import type { AgentContext, GenerateOptions } from '../agent-context.js';
import { Agent } from '../agent.js';
import { reactLoop } from '../kinds/react/react-loop.js';
import type { AgentDefinition } from './agent-definition.js';
import { offeredTools } from '../offered-tools.js';

/**
 * Reason and act, as defined by a file. Its model and iterations were resolved when the agent was
 * started.
 */
export class FileAgent extends Agent {
  /** @param toolNames of all tools that exist at the moment */
  constructor(
    private readonly definition: AgentDefinition,
    private readonly toolNames: () => readonly string[],
  ) {
    super();
  }

  run(ctx: AgentContext): Promise<void> {
    return reactLoop(ctx, () => this.options(ctx));
  }

  private options({ client_tools, instructions: given }: AgentContext): GenerateOptions {
    const { instructions: own, tools } = this.definition;
    const instructions = given ?? own;
    if (!tools) return { instructions };
    return { instructions, tools: [...offeredTools(tools, this.toolNames()), ...client_tools] };
  }
}
