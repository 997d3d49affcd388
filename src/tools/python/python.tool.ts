import { availableParallelism } from 'node:os';
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { PrintedOutput } from '../text/printed-output.js';
import { ToolLimits, keptOutput } from '../core/tool-limits.js';
import { ToolOutput } from '../core/tool-output.js';
import { ToolProvider } from '../core/tool-provider.decorator.js';
import { Tool } from '../core/tool.js';
import type { ToolContext, ToolPolicy } from '../core/tool.js';
import { answerRequest } from './answer-request.js';
import type { Interpreter } from './interpreter.js';
import { Interpreters } from './interpreters.js';
import type { ProgramEnd } from './program.js';
import { PythonSettings } from './python-settings.js';

const MAX_CODE = 200_000;
/** Characters reserved for the description of the program's end. */
const END_ROOM = 300;
/** Maximum length of the code shown to the person who approves it. */
const MAX_SUMMARY = 2_000;

const input = z.object({
  code: z
    .string()
    .min(1, 'Give a program, such as print(6 * 7).')
    .max(MAX_CODE)
    .describe('A Python program. What it prints is shown, and the value of its last expression.'),
});

type Input = z.output<typeof input>;

/** Runs a Python program that has no access to this host. */
@Injectable()
@ToolProvider()
export class PythonTool extends Tool<Input> {
  readonly name = 'python';
  readonly description =
    'Runs a Python 3 program and answers what it printed and the value of its last expression. The whole standard library is there, but no other package, no network, no files of the user and no processes. Every call is a new interpreter: variables and files are not kept. Good for calculating, for working through data and text, and for work of many steps: tool(name, **arguments) calls one of your tools and returns its output, fork(prompt, agent_type=None) starts another agent and wait(agent) returns its answer, ask(question, options=None) asks the user; what fails raises ToolError. Clock and random numbers are made up: no secrets, no timing.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'compute',
    read_only: true,
    risk: 'low',
    recovery: 'replay',
  };
  /** Limits the programs that compute at once; those that wait are not counted. */
  private readonly turns = new Turns(availableParallelism() * 2);

  constructor(
    private readonly interpreters: Interpreters,
    private readonly limits: ToolLimits,
    private readonly pythonSettings: PythonSettings,
  ) {
    super();
  }

  override summarize({ code }: Input): string {
    const rest = code.length - MAX_SUMMARY;
    if (rest <= 0) return `Run Python:\n${code}`;
    return `Run Python:\n${code.slice(0, MAX_SUMMARY).toWellFormed()}\n… and ${rest} characters more`;
  }

  async execute({ code }: Input, context: ToolContext): Promise<ToolOutput> {
    const turn = await Turn.take(this.turns);
    try {
      const interpreter = await this.interpreters.take(context.chat_uid);
      try {
        return await this.run(interpreter, { code, context, turn });
      } finally {
        await this.interpreters.discard(interpreter, context.chat_uid);
      }
    } finally {
      turn.end();
    }
  }

  private async run(
    interpreter: Interpreter,
    { code, context, turn }: { code: string; context: ToolContext; turn: Turn },
  ): Promise<ToolOutput> {
    const { signal, output, interaction_id, tool_call_id } = context;
    const printed = new PrintedOutput(keptOutput(this.limits) - END_ROOM);
    const stop = (): void => void interpreter.stop();
    const seed = programSeed(interaction_id, tool_call_id);
    const now = await context.now();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const end = await interpreter.run(
        { code, seed, now },
        {
          onOutput: (bytes) => output(printed.push(bytes)),
          onRequest: (request) => turn.without(() => answerRequest(request, context)),
        },
      );
      return this.answer(printed, end);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  private answer(printed: PrintedOutput, end: ProgramEnd): ToolOutput {
    const { text, truncated } = printed.text();
    const said = describeEnd(end, this.pythonSettings.pythonMemoryMb).toWellFormed();
    const parts = [text.replace(/\n$/, ''), said].filter((part) => part !== '');
    const is_error = end.kind !== 'ended' || end.failed;
    return new ToolOutput(parts.join('\n') || '(no output)', { is_error, truncated });
  }
}

/**
 * The description of a program's end that follows its output; empty if there is nothing to report.
 */
function describeEnd(end: ProgramEnd, memory_mb: number): string {
  switch (end.kind) {
    case 'ended':
      return end.value ?? '';
    case 'exited':
      return `[The program left with exit code ${end.code}.]`;
    case 'refused':
      return `[The program was stopped: it called ${end.name}, which is not available here. There is no JavaScript, no native library, no network and no process here.]`;
    case 'crashed':
      return `[The interpreter was stopped: ${why(end.why, memory_mb)}.]`;
    case 'stopped':
      return '[The program was stopped before it was done.]';
  }
}

function why(text: string, memory_mb: number): string {
  if (text.includes('call stack')) return 'the recursion was too deep';
  // The interpreter reports some of its ends by what programs can't reach here.
  const isEnd = /^unreachable$|out of bounds|^WebAssembly is not defined$/.test(text);
  if (isEnd) return `Python gave up, perhaps for want of memory (there are ${memory_mb} MB)`;
  return text;
}

/** Four 32-bit numbers; deterministic, so that a call that runs again gets the same. */
function programSeed(...parts: readonly string[]): readonly number[] {
  const digest = createHash('sha256').update(parts.join('\n')).digest();
  return [0, 4, 8, 12].map((at) => digest.readUInt32LE(at));
}

/** The permit of one program to compute. The program releases it while it waits. */
class Turn {
  private constructor(
    private readonly turns: Turns,
    private giveBack: () => void,
  ) {}

  static async take(turns: Turns): Promise<Turn> {
    return new Turn(turns, await turns.take());
  }

  async without<T>(work: () => Promise<T>): Promise<T> {
    this.giveBack();
    try {
      return await work();
    } finally {
      this.giveBack = await this.turns.take();
      if (this.isOver) this.giveBack();
    }
  }

  end(): void {
    this.isOver = true;
    this.giveBack();
  }

  private isOver = false;
}

/** Semaphore with `limit` permits; first come, first served. */
class Turns {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  /** Resolves with a permit; the returned function releases it. */
  async take(): Promise<() => void> {
    if (this.taken < this.limit) this.taken++;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    let isOver = false;
    return () => {
      if (!isOver) this.pass();
      isOver = true;
    };
  }

  private pass(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.taken--;
  }
}
