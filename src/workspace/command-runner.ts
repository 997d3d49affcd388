import { Injectable } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import { Config } from '../config/config.js';
import { CommandFolders, variablesOf } from './command-folders.js';
import { GatedProcess } from './processes/gated-process.js';
import { OutputPipe } from './processes/output-pipe.js';
import { ProcessCap } from './processes/process-cap.js';
import type { ProcessTrace } from './processes/process-trace.js';
import { ProcessGroupLimit } from './processes/process-group-limit.js';
import { Sandbox } from './sandbox/sandbox.js';
import { MAX_PROCESSES } from './sandbox/with-limits.js';

export interface CommandOptions {
  /** The workspace: the working directory, and the only writable folder if there is a sandbox. */
  readonly cwd: string;
  /** Stops the command. */
  readonly signal: AbortSignal;
  /** Receives the output in order. The buffer is reused when this returns. */
  readonly onOutput: (chunk: Buffer) => void;
  /**
   * Called when the command is ready to start. It starts when this resolves, and never if it
   * rejects.
   */
  readonly beforeStart: (trace: ProcessTrace | undefined) => Promise<void>;
}

export interface CommandEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The reason if the command did not end by itself. */
  readonly stopped?: 'aborted' | 'too_many_processes';
}

/**
 * Timeouts in milliseconds: for the processes to end after a request, and for the rest of the
 * output to arrive.
 */
const GRACE_MS = 2_000;
const DRAIN_MS = 1_000;

/** Runs commands in the sandbox. When a command is over, none of its processes is left running. */
@Injectable()
export class CommandRunner implements OnModuleDestroy {
  private readonly folders = new CommandFolders();

  constructor(
    private readonly sandbox: Sandbox,
    private readonly config: Config,
  ) {}

  /** The restrictions of the sandbox, for people. */
  get confinement(): string {
    return this.sandbox.description;
  }

  onModuleDestroy(): Promise<void> {
    return this.folders.remove();
  }

  async run(command: readonly string[], options: CommandOptions): Promise<CommandEnd> {
    const output = await OutputPipe.open(options.onOutput);
    try {
      const process = await this.spawn(command, options, output);
      return await this.runToEnd(process, options);
    } finally {
      await output.drained(DRAIN_MS);
    }
  }

  private async spawn(
    command: readonly string[],
    { cwd }: CommandOptions,
    output: OutputPipe,
  ): Promise<GatedProcess> {
    try {
      const home = await this.folders.openHome();
      const env = { ...this.config.commandEnvironment, ...variablesOf(home), PWD: cwd };
      const confined = await this.sandbox.confine(command, cwd, home);
      return await GatedProcess.spawn(confined, { cwd, env, output });
    } catch (error) {
      await output.handedOver();
      throw error;
    }
  }

  private async runToEnd(
    process: GatedProcess,
    { signal, beforeStart }: CommandOptions,
  ): Promise<CommandEnd> {
    const limit = await ProcessGroupLimit.put(process.pid, MAX_PROCESSES);
    const cap = new ProcessCap(process.family, MAX_PROCESSES);
    const aborted = new Aborted(signal);
    try {
      await beforeStart(process.trace);
      if (!signal.aborted) process.letGo();
      const stopped = await Promise.race([
        process.exited.then(() => undefined),
        aborted.promise.then(() => 'aborted' as const),
        cap.exceeded.then(() => 'too_many_processes' as const),
      ]);
      await this.clear(process, limit, stopped === 'too_many_processes' ? 0 : GRACE_MS);
      return { ...(await process.exited), ...(stopped && { stopped }) };
    } finally {
      cap.stop();
      aborted.forget();
      await this.clear(process, limit, 0);
      await limit?.remove();
    }
  }

  /** Resolves only when all processes are gone; the caller has to set a timeout. */
  private async clear(
    { family }: GatedProcess,
    limit: ProcessGroupLimit | undefined,
    grace_ms: number,
  ): Promise<void> {
    const { wrappers } = this.sandbox;
    let isGone = grace_ms > 0 && (await family.end({ grace_ms, wrappers }));
    while (!isGone) {
      await limit?.kill();
      isGone = await family.kill(wrappers);
    }
  }
}

/**
 * A promise for the abort of a signal. It leaves no listener behind on a signal that lives longer.
 */
class Aborted {
  readonly promise: Promise<void>;
  private tell: () => void = () => {};

  constructor(private readonly signal: AbortSignal) {
    this.promise = new Promise((resolve) => {
      this.tell = resolve;
    });
    if (signal.aborted) this.tell();
    else signal.addEventListener('abort', this.tell, { once: true });
  }

  forget(): void {
    this.signal.removeEventListener('abort', this.tell);
  }
}
