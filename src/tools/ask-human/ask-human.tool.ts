import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ToolProvider } from '../core/tool-provider.decorator.js';
import { Tool } from '../core/tool.js';
import type { ToolContext, ToolPolicy } from '../core/tool.js';

const input = z.object({
  question: z.string().min(1).max(10_000).describe('What to ask, complete in itself.'),
  options: z
    .array(z.string().min(1).max(500))
    .max(20)
    .optional()
    .describe('Answers to choose from; the user may still write another.'),
});

type Input = z.output<typeof input>;

/** Lets a model ask the user a question and wait for the answer, without a timeout. */
@Injectable()
@ToolProvider()
export class AskHumanTool extends Tool<Input> {
  readonly name = 'ask_human';
  readonly description =
    'Asks the user a question and waits for the answer. Use it when you need something that only the user can know or decide.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'human',
    read_only: true,
    risk: 'low',
    recovery: 'replay',
  };
  /** No timeout: the user may take any time to answer. */
  override readonly timeout_ms = 0;

  async execute({ question, options }: Input, { ask }: ToolContext): Promise<string> {
    const answer = await ask(question, options ? { options } : {});
    return answer ?? 'The user declined to answer, or did not answer in time.';
  }
}
