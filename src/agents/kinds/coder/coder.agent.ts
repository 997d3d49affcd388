import { Injectable } from '@nestjs/common';
import { ToolRegistry } from '../../../tools/core/tool-registry.js';
import { AgentType } from '../../agent-type.decorator.js';
import type { AgentContext } from '../../agent-context.js';
import { Agent } from '../../agent.js';
import { offeredTools } from '../../offered-tools.js';
import { readPrompt } from '../../prompts/read-prompt.js';
import { reactLoop } from '../react/react-loop.js';
import { ProjectNotes } from './project-notes.js';

/** Its tools, besides those of MCP servers. */
const TOOLS = [
  ...['read', 'write', 'edit', 'glob', 'grep', 'bash', 'python'],
  ...['todo', 'ask_human', 'agent', 'file_*', 'mcp__*'],
];

/** Works on the code in its chat's workspace. */
@Injectable()
@AgentType({
  name: 'coder',
  description:
    'Reads, changes and tests the code in the workspace, and keeps its plan on the task board.',
  max_iterations: 100,
})
export class CoderAgent extends Agent {
  private readonly prompt = readPrompt('coder');

  constructor(
    private readonly notes: ProjectNotes,
    private readonly tools: ToolRegistry,
  ) {
    super();
  }

  async run(ctx: AgentContext): Promise<void> {
    const { chat_uid } = ctx.agent;
    const notes = await ctx.step(
      'project notes',
      async () => (await this.notes.read(chat_uid)) ?? null,
    );
    const instructions = coderInstructions(ctx.instructions ?? this.prompt, notes);
    await reactLoop(ctx, () => ({
      instructions,
      tools: [...this.offered(), ...ctx.client_tools],
    }));
  }

  private offered(): readonly string[] {
    return offeredTools(
      TOOLS,
      this.tools.list().map(({ name }) => name),
    );
  }
}

/** The coder's system prompt in a project; `notes` is the text of its `AGENTS.md`. */
export function coderInstructions(prompt: string, notes: string | null): string {
  if (notes === null) return prompt;
  return `${prompt}\n\nThe project's own notes, from AGENTS.md. Follow them; where they differ from what is said above, they count:\n\n${notes}`;
}
