import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { BoundedOutput } from '../bounded-output.js';
import { ToolLimits } from '../tool-limits.js';
import { ToolOutput } from '../tool-output.js';
import { ToolProvider } from '../tool-provider.decorator.js';
import { Tool } from '../tool.js';
import type { ToolContext, ToolPolicy } from '../tool.js';
import { describeEnd } from './describe-end.js';
import type { Interpreter } from './interpreter.js';
import { Interpreters } from './interpreters.js';
import { programSeed } from './program-seed.js';
import type { ProgramEnd } from './program.js';
import { PythonLimits } from './python-limits.js';
import { Turns } from './turns.js';

const MAX_CODE = 200_000;
/** Room for what is said of the end, in characters. */
const END_ROOM = 300;
/** Of the code, for people who have to approve it. */
const MAX_SUMMARY = 2_000;

const input = z.object({
  code: z
    .string()
    .min(1, 'Give a program, such as print(6 * 7).')
    .max(MAX_CODE)
    .describe('A Python program. What it prints is shown, and the value of its last expression.'),
});

type Input = z.output<typeof input>;

/** Runs a Python program that reaches nothing of this host. */
@Injectable()
@ToolProvider()
export class PythonTool extends Tool<Input> {
  readonly name = 'python';
  readonly description =
    'Runs a Python 3 program and answers what it printed and the value of its last expression. The whole standard library is there, but no other package, no network, no files of the user and no processes. Every call is a new interpreter: variables and files are not kept. Good for calculating, for working through data and text, and for trying code.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'compute',
    read_only: true,
    risk: 'low',
    recovery: 'replay',
  };
  /** Programs that work; those that wait for something don't count. */
  private readonly turns = new Turns(availableParallelism() * 2);

  constructor(
    private readonly interpreters: Interpreters,
    private readonly limits: ToolLimits,
    private readonly pythonLimits: PythonLimits,
  ) {
    super();
  }

  override summarize({ code }: Input): string {
    const rest = code.length - MAX_SUMMARY;
    if (rest <= 0) return `Run Python:\n${code}`;
    return `Run Python:\n${code.slice(0, MAX_SUMMARY).toWellFormed()}\n… and ${rest} characters more`;
  }

  async execute({ code }: Input, context: ToolContext): Promise<ToolOutput> {
    const done = await this.turns.take();
    try {
      const interpreter = await this.interpreters.take();
      try {
        return await this.run(interpreter, code, context);
      } finally {
        await this.interpreters.discard(interpreter);
      }
    } finally {
      done();
    }
  }

  private async run(
    interpreter: Interpreter,
    code: string,
    { signal, output, interaction_id, tool_call_id }: ToolContext,
  ): Promise<ToolOutput> {
    const printed = new BoundedOutput(roomFor(this.limits.toolOutputLimit));
    const show = new TextDecoder();
    const stop = (): void => void interpreter.stop();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const program = { code, seed: programSeed(interaction_id, tool_call_id), now: Date.now() };
    try {
      const end = await interpreter.run(program, {
        onOutput: (bytes) => {
          printed.push(bytes);
          output(show.decode(bytes, { stream: true }));
        },
        onRequest: async () => JSON.stringify({ error: 'This is not available here.' }),
      });
      return this.answer(printed, end);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  private answer(printed: BoundedOutput, end: ProgramEnd): ToolOutput {
    const { text, truncated } = printed.text();
    const said = describeEnd(end, this.pythonLimits.pythonMemoryMb).toWellFormed();
    const parts = [text.replace(/\n$/, ''), said].filter((part) => part !== '');
    const is_error = end.kind !== 'ended' || end.failed;
    return new ToolOutput(parts.join('\n') || '(no output)', { is_error, truncated });
  }
}

function roomFor(limit: number): number {
  return Math.max(limit - END_ROOM, Math.floor(limit / 2));
}
