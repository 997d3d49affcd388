import type { ZodType } from 'zod';
import type { RecordOf } from '../protocol/events.js';
import type { ProcessTrace } from '../workspace/processes/process-trace.js';
import type { Resources } from './resources.js';
import type { ToolOutput } from './tool-output.js';

export type ToolCategory = 'read' | 'write' | 'execute' | 'network' | 'compute' | 'human' | 'agent';
export type ToolRisk = 'low' | 'medium' | 'high';

/**
 * What to do with a call whose outcome a crash left unknown (I4): `rerun` it (read-only or idempotent), `replay` it
 * (it only acts through its context, whose steps are journaled), or `report` to the model that the effect is unknown.
 */
export type ToolRecovery = 'rerun' | 'replay' | 'report';

/** How often to run a tool again that failed in a way that may pass. */
export interface ToolRetries {
  /** 1 to 5. */
  readonly times: number;
  /** Before the first of them, in milliseconds, up to 30 s; twice as long before each further one. All of it is in the tool's timeout. */
  readonly backoff_ms: number;
}

/** What permission rules and people see of a tool before it runs. */
export interface ToolPolicy {
  readonly category: ToolCategory;
  readonly read_only: boolean;
  readonly risk: ToolRisk;
  readonly recovery: ToolRecovery;
  /** A person has to agree unless a rule allows it, even if it only reads. */
  readonly requires_approval?: boolean;
  /** Only where `recovery` is `rerun`. For what it throws: not for input faults, nor for an error whose `retryable` is false. */
  readonly retries?: ToolRetries;
}

/** What a tool may add to the log of its interaction. */
export type ToolEvent = RecordOf<'TASK_UPDATED'> | RecordOf<'NOTICE'>;

/** A child agent that a tool has started. */
export interface ForkedInside {
  readonly id: string;
  readonly type: string;
}

/** What came of a call that a tool made. */
export interface CalledInside {
  readonly output: string;
  readonly is_error: boolean;
}

/** What a running tool has besides its input. */
export interface ToolContext {
  readonly interaction_id: string;
  readonly chat_id: string;
  readonly agent_id: string;
  readonly tool_call_id: string;
  /** Aborts when the call times out or is cancelled; the tool has to stop then. */
  readonly signal: AbortSignal;
  /** Runtime objects of the agent that made the call, by their class: `resources.get(Shop)`. They live as long as its run. */
  readonly resources: Resources;
  /** Shows output to people while the tool runs; the result is what counts. */
  readonly output: (text: string) => void;
  /**
   * For a tool that `announces_start`: tells the log that its effect begins now, and resolves when that is durable. `trace` is kept with it, so
   * that whoever takes over after a crash can clear away what is left.
   */
  readonly started: (trace?: ProcessTrace) => Promise<void>;
  /**
   * Says of files, by their paths in the workspace, whether the permission rules as they are now would let these tools be called with them.
   * A tool that shows what it was not asked for by name leaves out the others.
   */
  readonly may_show: (tool_names: readonly string[]) => Promise<(path: string) => boolean>;
  /** Asks a person, and waits; journaled. null: declined, or nobody answered in time. */
  readonly ask: (
    question: string,
    options?: { readonly options?: readonly string[] },
  ) => Promise<string | null>;
  /** Tells the readers of the interaction; resolves once that is saved in its log. A call that runs again tells again. */
  readonly tell: (event: ToolEvent) => Promise<void>;
  /**
   * Has a child agent do something, and waits for its answer; journaled. `agent_type`: `react` unless given. When the tool ends,
   * children of it that still run are stopped.
   * @throws AppError when it may not be started, failed, or was stopped
   */
  readonly run_agent: (
    prompt: string,
    options?: { readonly agent_type?: string },
  ) => Promise<string>;
  /** Starts a child agent as `run_agent` does, and goes on beside it; journaled. */
  readonly fork: (
    prompt: string,
    options?: { readonly agent_type?: string },
  ) => Promise<ForkedInside>;
  /**
   * The answer of a child agent that `fork` has started in this call; journaled.
   * @throws AppError when it failed, or was stopped
   */
  readonly wait: (id: string) => Promise<string>;
  /**
   * Calls another tool as the agent could itself: the same rules, approvals and limits hold; journaled, and no part of the conversation.
   * `args`: JSON text of an object. A failure, and that it may not be called, are results.
   */
  readonly call_tool: (name: string, args: string) => Promise<CalledInside>;
  /** What came of an earlier call of this chat; undefined if no call on its branch has this id, and a result. */
  readonly earlier_output: (tool_call_id: string) => Promise<string | undefined>;
  /** What time it is, in milliseconds; the same on a replay: when the call began, or else when the last step that it waited for was done. */
  readonly now: () => Promise<number>;
}

/** Where a call that is asked about would take place. */
export interface CallAbout {
  readonly chat_id: string;
}

/** Text, or text and what is to be said of it. */
export type ToolAnswer = string | ToolOutput;

/**
 * Port: something a model can call. `execute` answers the text that the model reads; what it throws
 * becomes an error result that the model reads too.
 */
export abstract class Tool<Input = unknown> {
  abstract readonly name: string;
  /** For the model: what it does, when to use it. */
  abstract readonly description: string;
  abstract readonly input: ZodType<Input>;
  /** JSON Schema for the model, where `input` was made from it; else it is made from `input`. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  abstract readonly policy: ToolPolicy;
  /** Overrides `TOOL_TIMEOUT_MS`; 0: none. */
  readonly timeout_ms?: number;
  /** It calls `started` itself, after it got ready and before its effect begins. */
  readonly announces_start?: boolean;
  /** What a call would do, for whoever has to approve it. */
  summarize?(input: unknown, about: CallAbout): Promise<string> | string;
  abstract execute(input: Input, context: ToolContext): Promise<ToolAnswer> | ToolAnswer;
}
