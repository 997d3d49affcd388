import { Injectable, Module } from '@nestjs/common';
import { z } from 'zod';
import { AgentType } from '../../../src/agents/agent-type.decorator.js';
import type { AgentContext } from '../../../src/agents/agent-context.js';
import { Agent } from '../../../src/agents/agent.js';
import { ToolOutput } from '../../../src/tools/core/tool-output.js';
import { ToolProvider } from '../../../src/tools/core/tool-provider.decorator.js';
import { Tool } from '../../../src/tools/core/tool.js';
import type { ToolContext, ToolPolicy } from '../../../src/tools/core/tool.js';
import { IMAGES } from '../tools/images.js';

const READS: Omit<ToolPolicy, 'recovery'> = { category: 'read', read_only: true, risk: 'low' };

/** Asks for a name and a color, and says what it was told. */
@Injectable()
@AgentType({ name: 'asker', description: 'Asks two questions.' })
class AskerAgent extends Agent {
  async run(ctx: AgentContext): Promise<string> {
    const name = await ctx.ask('What is your name?');
    const color = await ctx.ask('Which color?', { options: ['red', 'blue'] });
    return `${name ?? 'Nobody'} likes ${color ?? 'nothing'}.`;
  }
}

/** Two branches: one waits for a person, the other works on. */
@Injectable()
@AgentType({ name: 'brancher', description: 'Asks, and works meanwhile.' })
class BrancherAgent extends Agent {
  async run(ctx: AgentContext): Promise<string> {
    const work = async (): Promise<number> => {
      let steps = 0;
      for (const name of ['one', 'two', 'three']) steps += await ctx.step(name, () => 1);
      await ctx.notice('worked', `${steps} steps`);
      return steps;
    };
    const [answer, steps] = await Promise.all([ctx.ask('Go on?'), work()]);
    return `${answer} after ${steps} steps.`;
  }
}

const questions = z.object({ questions: z.array(z.string()) });

/** A tool that asks, one question after the other. */
@Injectable()
@ToolProvider()
class InterviewTool extends Tool<z.output<typeof questions>> {
  readonly name = 'interview';
  readonly description = 'Asks the user questions.';
  readonly input = questions;
  readonly policy: ToolPolicy = { ...READS, category: 'human', recovery: 'replay' };
  override readonly timeout_ms = 0;

  async execute(input: z.output<typeof questions>, { ask }: ToolContext): Promise<string> {
    const answers: (string | null)[] = [];
    for (const question of input.questions) answers.push(await ask(question));
    return JSON.stringify(answers);
  }
}

const nothing = z.object({});

/**
 * A tool that asks in the middle of something that must not be done twice: its run can't be parked.
 */
@Injectable()
@ToolProvider()
class PinnedTool extends Tool {
  readonly name = 'pinned';
  readonly description = 'Begins something, and asks how to go on.';
  readonly input = nothing;
  readonly policy: ToolPolicy = { ...READS, recovery: 'report' };
  override readonly timeout_ms = 0;

  async execute(_: unknown, { ask }: ToolContext): Promise<string> {
    return `Went ${(await ask('Where to?')) ?? 'nowhere'}.`;
  }
}

/** A tool that neither ends nor stops when told to. */
@Injectable()
@ToolProvider()
class StubbornTool extends Tool {
  readonly name = 'stubborn';
  readonly description = 'Never ends.';
  readonly input = nothing;
  readonly policy: ToolPolicy = { ...READS, recovery: 'rerun' };

  execute(): Promise<string> {
    return new Promise(() => {});
  }
}

/** A tool that runs until it is stopped. */
@Injectable()
@ToolProvider()
export class PatientTool extends Tool {
  readonly name = 'patient';
  readonly description = 'Runs until it is stopped.';
  readonly input = nothing;
  readonly policy: ToolPolicy = { ...READS, recovery: 'rerun' };
  /** How many run now. */
  static running = 0;

  async execute(_: unknown, { signal }: ToolContext): Promise<string> {
    PatientTool.running++;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    PatientTool.running--;
    return 'Stopped.';
  }
}

const deed = z.object({ what: z.string() });

/** A tool with an effect that must not take place twice; people are asked about it. */
@Injectable()
@ToolProvider()
export class DeedTool extends Tool<z.output<typeof deed>> {
  readonly name = 'deed';
  readonly description = 'Does something that cannot be undone.';
  readonly input = deed;
  readonly policy: ToolPolicy = {
    category: 'write',
    read_only: false,
    risk: 'high',
    recovery: 'report',
  };
  /** What was done, in order. */
  static readonly done: string[] = [];

  execute({ what }: z.output<typeof deed>): string {
    DeedTool.done.push(what);
    return `Did ${what}.`;
  }
}

/** A tool that shows an image. */
@Injectable()
@ToolProvider()
class PictureTool extends Tool {
  readonly name = 'picture';
  readonly description = 'Shows a picture.';
  readonly input = nothing;
  readonly policy: ToolPolicy = { ...READS, recovery: 'rerun' };

  execute(): ToolOutput {
    const image = { media_type: 'image/png', data: IMAGES.png } as const;
    return new ToolOutput('Red.', { journal: { images: [image] } });
  }
}

/** Agents and tools for tests with people in them. */
@Module({
  providers: [
    ...[AskerAgent, BrancherAgent],
    ...[InterviewTool, PinnedTool, StubbornTool, PatientTool, DeedTool, PictureTool],
  ],
})
export class HumanTestModule {}
