import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CommandRunner } from '../../workspace/command-runner.js';
import type { CommandEnd } from '../../workspace/command-runner.js';
import { Workspaces } from '../../workspace/workspaces.js';
import { ToolLimits, keptOutput } from '../core/tool-limits.js';
import { ToolOutput } from '../core/tool-output.js';
import { refuseGitLinks } from './git-links.js';
import { ToolProvider } from '../core/tool-provider.decorator.js';
import { Tool } from '../core/tool.js';
import type { ToolContext, ToolPolicy } from '../core/tool.js';
import { PrintedOutput } from '../text/printed-output.js';
import { MAX_PROCESSES } from '../../workspace/sandbox/with-limits.js';

/** Maximum length of a command: it fits into one process argument, whatever its characters. */
const MAX_COMMAND = 30_000;
/** Characters reserved for the description of the command's end. */
const END_ROOM = 200;

const input = z.object({
  command: z
    .string()
    .trim()
    .min(1, 'Give a command, such as ls -la.')
    .max(MAX_COMMAND, 'Too long for one command: write a script with the tool write and run that.')
    .refine((text) => !text.includes('\0'), 'No command can have a NUL character in it.')
    .describe('A Bash command or script. It starts in the workspace.'),
  timeout_ms: z
    .int()
    .min(1)
    .optional()
    .describe("How long it may take, in milliseconds; never longer than the server's own limit."),
});

type Input = z.output<typeof input>;

/** Runs a shell command in the chat's workspace. */
@Injectable()
@ToolProvider()
export class BashTool extends Tool<Input> {
  readonly name = 'bash';
  readonly description =
    'Runs a Bash command in the workspace and answers what it printed, output and errors in one, and its exit code. Every call is a new shell: directory and variables are not kept. It has no input and no terminal. What it leaves running in the background is stopped when it ends. Of much output only head and tail are shown.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'execute',
    read_only: false,
    risk: 'high',
    recovery: 'report',
  };
  override readonly announces_start = true;
  override readonly uses_workspace = true;

  constructor(
    private readonly workspaces: Workspaces,
    private readonly commands: CommandRunner,
    private readonly limits: ToolLimits,
  ) {
    super();
  }

  override summarize({ command }: Input): string {
    return `Run a command (${this.commands.confinement}): ${command}`;
  }

  execute({ command, timeout_ms }: Input, context: ToolContext): Promise<ToolOutput> {
    return this.workspaces.use(context.chat_uid, async ({ path }) => {
      await refuseGitLinks(command, path, context.signal);
      const output = new PrintedOutput(keptOutput(this.limits) - END_ROOM);
      const deadline = new Deadline(context.signal, timeout_ms);
      try {
        const end = await this.commands.run(['bash', '--norc', '--noprofile', '-c', command], {
          cwd: path,
          signal: deadline.signal,
          onOutput: (chunk) => context.output(output.push(chunk)),
          beforeStart: context.started,
        });
        return toAnswer(output, end, deadline.isOver ? timeout_ms : undefined);
      } finally {
        deadline.clear();
      }
    });
  }
}

function toAnswer(
  output: PrintedOutput,
  end: CommandEnd,
  timeoutMs: number | undefined,
): ToolOutput {
  const { text, truncated } = output.text();
  const shown = text === '' ? '(no output)' : text.replace(/\n$/, '');
  const is_error = end.code !== 0 || end.stopped !== undefined;
  const { code: exit_code, signal, stopped = null } = end;
  const data = { exit_code, signal, stopped };
  return new ToolOutput(`${shown}\n${describeEnd(end, timeoutMs)}`, { is_error, truncated, data });
}

/** Describes the end of a command, for the model. */
function describeEnd({ code, signal, stopped }: CommandEnd, timeoutMs: number | undefined): string {
  switch (stopped) {
    case 'aborted':
      return timeoutMs === undefined
        ? '[The command was stopped before it was done.]'
        : `[The command took longer than ${timeoutMs} ms and was stopped.]`;
    case 'too_many_processes':
      return `[The command was killed: it had become more than ${MAX_PROCESSES} processes.]`;
    case undefined:
      return code === null ? `[The command was killed by ${signal}.]` : `[exit code ${code}]`;
  }
}

/** An AbortSignal that aborts with another signal or on a timeout. */
class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly onAbort = () => this.controller.abort(this.parent.reason);
  /** True if the timeout came first. */
  isOver = false;

  constructor(
    private readonly parent: AbortSignal,
    /** Timeout in milliseconds; undefined: none. */
    timeoutMs: number | undefined,
  ) {
    if (parent.aborted) this.onAbort();
    else parent.addEventListener('abort', this.onAbort, { once: true });
    if (timeoutMs !== undefined)
      this.timer = setTimeout(() => this.end(), Math.min(timeoutMs, MAX_MS));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  clear(): void {
    clearTimeout(this.timer);
    this.parent.removeEventListener('abort', this.onAbort);
  }

  private end(): void {
    this.isOver = !this.signal.aborted;
    this.controller.abort();
  }
}

/** Maximum delay of setTimeout, in milliseconds. */
const MAX_MS = 2 ** 31 - 1;
