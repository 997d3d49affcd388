import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { ServerStopped } from '../../kernel/server-stopped.js';
import { checkArguments } from './check-arguments.js';
import type { CheckedArguments } from './check-arguments.js';
import { cutOutput } from '../text/cut-output.js';
import type { CutNote } from '../text/cut-output.js';
import { withRetries } from './retries.js';
import { runUntil } from './run-until.js';
import type { Ending, Pause } from './run-until.js';
import { exactJson, parseWithDigits } from '../../kernel/json/exact-json.js';
import { mapTexts } from '../../kernel/json/json.js';
import { toErrorText, toText } from './to-text.js';
import { ToolLimits, keptOutput } from './tool-limits.js';
import { ToolOutput } from './tool-output.js';
import type { ToolData, ToolJournal } from './tool-output.js';
import { ToolRegistry } from './tool-registry.js';
import type { Tool, ToolContext } from './tool.js';

export interface ToolExecution {
  /** The text that the model reads. */
  readonly output: string;
  readonly is_error: boolean;
  /** Whole milliseconds. */
  readonly duration_ms: number;
  /** The output was longer than the limit. */
  readonly truncated?: true;
  /** The tool was told to stop and, as far as is known, still runs. */
  readonly still_running?: true;
  /** For clients. */
  readonly data?: ToolData;
  /** For the log only. */
  readonly journal?: ToolJournal;
  /** If `output` is truncated: the part of the whole output that may be kept. */
  readonly whole?: { readonly text: string; readonly is_part: boolean };
}

/** Maximum size of `data`, in bytes of JSON. */
const MAX_DATA = 64 * 1024;

/** Decides what of an output may be read. */
export interface OutputGuard {
  read(text: string): Promise<string>;
  /** For texts that are short together. */
  readAtOnce(text: string): string;
}

const UNGUARDED: OutputGuard = { read: async (text) => text, readAtOnce: (text) => text };

/** A tool call as a model makes it. */
export interface NamedCall {
  readonly name: string;
  /** JSON text as the model wrote it, well-formed or not. */
  readonly arguments: string;
}

/** The result for the model of a call that was stopped together with the server. */
export const STOPPED_WITH_SERVER =
  'The server was stopped while this tool ran, and the tool was killed with it: part of its effect may have taken place. Check before you call it again.';

/**
 * Runs tools within their limits. Never throws: each failure becomes a result that the model can
 * act on.
 */
@Injectable()
export class ToolExecutor {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly limits: ToolLimits,
    private readonly clock: Clock,
  ) {}

  /** Checks if a call could run, without running it. */
  check(name: string, args: string): CheckedArguments {
    const tool = this.registry.find(name);
    if (!tool) return { ok: false, fault: this.registry.describeUnknown(name) };
    return checkArguments(tool, args);
  }

  /** Truncates an output to the limit of the model. */
  limit(text: string, note?: CutNote): Pick<ToolExecution, 'output' | 'truncated'> {
    const cut = cutOutput(text, this.limits.toolOutputLimit, note);
    return { output: cut.text, ...(cut.truncated && { truncated: true }) };
  }

  /**
   * `context.signal` cancels the call; `guard` checks the output and decides what of it may be
   * read.
   */
  async execute(
    call: NamedCall,
    context: ToolContext,
    guard: OutputGuard = UNGUARDED,
  ): Promise<ToolExecution> {
    const began = this.clock.monotonic();
    const outcome = await this.run(call, context);
    const { text, is_error, truncated, still_running, journal } = outcome;
    const data = guardData(outcome.data, guard);
    const cut = { is_part: truncated === true };
    const kept = cutOutput(await guard.read(text), keptOutput(this.limits), cut); // in this order
    const whole = { text: kept.text, is_part: kept.truncated || truncated === true };
    const read = this.limit(whole.text, { is_part: whole.is_part });
    return {
      ...read,
      ...(read.truncated && { whole }),
      ...(truncated && { truncated }),
      is_error,
      duration_ms: Math.round(this.clock.monotonic() - began),
      ...(still_running && { still_running }),
      ...(journal && { journal }),
      ...(data && { data }),
    };
  }

  private async run(call: NamedCall, context: ToolContext): Promise<Outcome> {
    const checked = this.check(call.name, call.arguments);
    if (!checked.ok) return failed(checked.fault);
    if (context.signal.aborted) return failed(describeEarlyStop(context.signal));
    const tool = this.registry.get(call.name);
    const timeout_ms = tool.timeout_ms ?? this.limits.toolTimeoutMs;
    const ending = await runTool(tool, checked.input, { context, timeout_ms });
    return describe(ending, describeReason(ending, { timeout_ms, signal: context.signal }));
  }
}

interface Outcome {
  readonly text: string;
  readonly is_error: boolean;
  readonly truncated?: true;
  readonly still_running?: true;
  readonly journal?: ToolJournal;
  readonly data?: ToolData;
}

async function runTool(
  tool: Tool,
  input: unknown,
  { context, timeout_ms }: { context: ToolContext; timeout_ms: number },
): Promise<Ending<unknown>> {
  let over = false;
  const output = (text: string) => {
    if (!over) context.output(text);
  };
  const ending = await runUntil(
    (signal, pause) => {
      const inside = { ...context, ...pausingSteps(pause, context), signal, output };
      return withRetries(() => tool.execute(input, inside), {
        retries: tool.policy.retries,
        signal,
        onRetry: (error, attempt) => tellRetry(inside, { tool, error, attempt }),
      });
    },
    { timeout_ms, signal: context.signal },
  );
  over = true; // a tool that still runs has no listener any more
  return ending;
}

function tellRetry(
  { tell }: ToolContext,
  { tool, error, attempt }: { tool: Tool; error: unknown; attempt: number },
): Promise<void> {
  const times = tool.policy.retries?.times;
  const message = `${tool.name} failed, and is tried again (${attempt} of ${times}): ${toErrorText(error)}`;
  return tell({ type: 'NOTICE', code: 'tool_retried', message });
}

function pausingSteps(pause: Pause, context: ToolContext) {
  const { ask, run_agent, fork, wait, tell_agent, call_tool } = context;
  return {
    ask: pausing(pause, ask),
    run_agent: pausing(pause, run_agent),
    fork: pausing(pause, fork),
    wait: pausing(pause, wait),
    tell_agent: pausing(pause, tell_agent),
    call_tool: pausing(pause, call_tool),
  };
}

/**
 * Pauses the timeout of a tool while it waits for a person or a child agent. A rejection of a
 * promise that the tool does not await is ignored.
 */
function pausing<Args extends unknown[], T>(
  pause: Pause,
  wait: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  return (...args) => {
    const outcome = wait(...args).finally(pause());
    outcome.catch(() => {});
    return outcome;
  };
}

function describe(ending: Ending<unknown>, reason: string): Outcome {
  switch (ending.kind) {
    case 'returned':
      return returned(ending.value);
    case 'threw':
      return failed(`The tool failed: ${toErrorText(ending.error)}`);
    case 'stopped':
      return {
        ...failed(describeStop(ending, reason)),
        ...(ending.late?.kind === 'returned' && isCut(ending.late.value) && { truncated: true }),
        ...(!ending.late && { still_running: true }),
      };
  }
}

function isCut(value: unknown): boolean {
  return value instanceof ToolOutput && value.truncated;
}

function returned(value: unknown): Outcome {
  const answer = value instanceof ToolOutput ? value : new ToolOutput('');
  const { is_error, truncated, journal, data } = answer;
  return {
    text: toText(value),
    is_error,
    ...(truncated && { truncated }),
    ...(journal && { journal }),
    ...(data && { data }),
  };
}

/**
 * Returns data as JSON, with each text guarded, and exact numbers as texts; undefined if it is too
 * large, or not JSON.
 */
function guardData(data: unknown, guard: OutputGuard): ToolData | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  try {
    const json = exactJson(data);
    if (Buffer.byteLength(json) > MAX_DATA) return undefined;
    return mapTexts(parseWithDigits(json), (text) => guard.readAtOnce(text)) as ToolData;
  } catch {
    return undefined; // a circular object, or one that throws
  }
}

function describeStop(
  { late }: Extract<Ending<unknown>, { kind: 'stopped' }>,
  reason: string,
): string {
  if (!late && reason !== STOPPED_WITH_SERVER)
    return `${reason} It did not stop when told to: it may still be running.`;
  const text = late?.kind === 'returned' ? toText(late.value) : '';
  return text ? `${reason} What it had by then:\n${text}` : reason;
}

/** The reason of the stop, if there was one. */
function describeReason(
  ending: Ending<unknown>,
  { timeout_ms, signal }: { timeout_ms: number; signal: AbortSignal },
): string {
  if (ending.kind === 'stopped' && ending.by === 'timeout')
    return `The tool took longer than ${timeout_ms} ms and was stopped.`;
  return signal.reason instanceof ServerStopped ? STOPPED_WITH_SERVER : 'The call was cancelled.';
}

function describeEarlyStop({ reason }: AbortSignal): string {
  if (reason instanceof ServerStopped)
    return 'The server was stopped before the tool began: it did nothing. Call it again if it is still wanted.';
  return 'The call was cancelled before it began.';
}

function failed(text: string): Outcome {
  return { text, is_error: true };
}
