import type { ZodType } from 'zod';
import type { RecordOf } from '../../protocol/events.js';
import type { ProcessTrace } from '../../workspace/processes/process-trace.js';
import type { Resources } from './resources.js';
import type { ToolWorkspace } from './tool-workspace.js';
import type { ToolOutput } from './tool-output.js';
import type { Cut } from '../../kernel/text/cut-text.js';

export type ToolCategory = 'read' | 'write' | 'execute' | 'network' | 'compute' | 'human' | 'agent';
export type ToolRisk = 'low' | 'medium' | 'high';

/**
 * Recovery of a call whose outcome is unknown after a crash (I4): `rerun` it (read-only or
 * idempotent), `replay` it (it only acts through its context, whose steps are journaled), or
 * `report` to the model that the effect is unknown.
 */
export type ToolRecovery = 'rerun' | 'replay' | 'report';

/** Retries of a tool after transient errors. */
export interface ToolRetries {
  /** Number of retries, 1 to 5. */
  readonly times: number;
  /**
   * Backoff before the first retry in milliseconds, up to 30 s; it doubles with each further one.
   * All retries count towards the tool's timeout.
   */
  readonly backoff_ms: number;
}

/** The properties of a tool that permission rules and people see before it runs. */
export interface ToolPolicy {
  readonly category: ToolCategory;
  readonly read_only: boolean;
  readonly risk: ToolRisk;
  readonly recovery: ToolRecovery;
  /** A person has to approve unless a rule allows it, even if it only reads. */
  readonly requires_approval?: boolean;
  /**
   * Only if `recovery` is `rerun`. Applies to errors that the tool throws; not to input faults, nor
   * to an error whose `retryable` is false.
   */
  readonly retries?: ToolRetries;
}

/** The events that a tool may add to the log of its interaction. */
export type ToolEvent =
  RecordOf<'TASK_UPDATED'> | Pick<RecordOf<'NOTICE'>, 'type' | 'code' | 'message'>;

/** A child agent that a tool has started. */
export interface ForkedInside {
  readonly id: string;
  readonly type: string;
}

/** The result of a call that a tool made. */
export interface CalledInside {
  readonly output: string;
  readonly is_error: boolean;
}

/** The services of the server that a running tool uses. */
export interface ToolContext {
  readonly interaction_id: string;
  readonly chat_id: string;
  /** For what is kept for a chat: it is unique over all tenants, and never used again. */
  readonly chat_uid: string;
  readonly agent_id: string;
  /** The agent's name: `react`, or another type. */
  readonly agent_type: string;
  /** The purpose of agents of this type. */
  readonly agent_description: string;
  /** Null: the agent that answers the user. */
  readonly parent_agent_id: string | null;
  /** The model turns of the agent so far, with the one that made the call. */
  readonly turn: number;
  /** The interaction's, or what a parent agent gave this agent. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tool_call_id: string;
  /** The call whose tool made this one; null: the agent's model did. */
  readonly parent_tool_call_id: string | null;
  readonly workspace: ToolWorkspace;
  /** Aborts when the call times out or is cancelled; the tool has to stop then. */
  readonly signal: AbortSignal;
  /**
   * Runtime objects of the agent that made the call, by their class: `resources.get(Shop)`. They
   * live as long as its run.
   */
  readonly resources: Resources;
  /**
   * The beginning of a text, as the guardrails let it be read. They read the result as a whole, but
   * don't know a secret of which a tool has cut off a part: cut with this.
   */
  readonly cut: Cut;
  /** Shows output to people while the tool runs; only the result counts. */
  readonly output: (text: string) => void;
  /**
   * For a tool that `announces_start`: logs the start of its effect, and resolves when that is
   * durable. `trace` is kept with it, so that the process that takes over after a crash can clean
   * up.
   */
  readonly started: (trace?: ProcessTrace) => Promise<void>;
  /**
   * Returns a predicate over file paths in the workspace: true if the current permission rules
   * allow these tools to be called with the file. A tool that lists files leaves out the others,
   * unless the call names them.
   */
  readonly may_show: (tool_names: readonly string[]) => Promise<(path: string) => boolean>;
  /** Asks a person and waits for the answer; journaled. null: declined, or no answer in time. */
  readonly ask: (
    question: string,
    options?: { readonly options?: readonly string[] },
  ) => Promise<string | null>;
  /**
   * Adds a change of the task board (at most 64 KB of JSON) or a notice (10,000 characters; longer
   * ones are cut) to the log; resolves when it is saved. A call that runs again adds it again. For
   * events of your own: `emit`.
   * @throws AppError `invalid_event`
   */
  readonly tell: (event: ToolEvent) => Promise<void>;
  /**
   * Sends readers an event of your own, `custom {name, data}`; at most 16 KB of JSON; journaled.
   * @throws AppError `invalid_event`
   */
  readonly emit: (name: string, data: unknown) => Promise<void>;
  /**
   * Sets a key of the interaction's metadata; null removes it; journaled. At most 4 KB of JSON a
   * value, and 256 times in a call.
   * @throws AppError `invalid_event`
   */
  readonly set_metadata: (key: string, value: unknown) => Promise<void>;
  /** The interaction's metadata as clients see it, with what was set so far. */
  readonly read_metadata: () => Readonly<Record<string, unknown>>;
  /**
   * Runs a child agent and waits for its answer; journaled. `agent_type`: `react` by default. At
   * the end of the tool, its children that still run are stopped.
   * @throws AppError if the agent may not be started, failed, or was stopped
   */
  readonly run_agent: (
    prompt: string,
    options?: { readonly agent_type?: string },
  ) => Promise<string>;
  /** Starts a child agent as `run_agent` does, without waiting for it; journaled. */
  readonly fork: (
    prompt: string,
    options?: { readonly agent_type?: string },
  ) => Promise<ForkedInside>;
  /**
   * Waits for the answer of a child agent that `fork` has started in this call; journaled.
   * @throws AppError if the agent failed or was stopped
   */
  readonly wait: (id: string) => Promise<string>;
  /**
   * Leaves a note for an agent that this agent has started, or for its parent if no id is given,
   * which reads it with its next turn; journaled.
   * @throws AppError `no_parent`, `unknown_child`, `note_too_long`
   */
  readonly tell_agent: (text: string, agent_id?: string) => Promise<void>;
  /**
   * Calls another tool with the same rules, approvals and limits as a call of the agent; journaled,
   * but not part of the conversation. `args`: JSON text of an object. A failure and a denial are
   * returned as results.
   */
  readonly call_tool: (name: string, args: string) => Promise<CalledInside>;
  /**
   * The output of an earlier call of this chat; undefined if no call on its branch has this id and
   * a result.
   */
  readonly earlier_output: (tool_call_id: string) => Promise<string | undefined>;
  /**
   * The current time in milliseconds, deterministic on replay: the start of the call, or the end of
   * the last step that it waited for.
   */
  readonly now: () => Promise<number>;
}

/** The place of a call, for its description. */
export interface CallAbout {
  /** The chat in whose workspace the call would run. */
  readonly chat_uid: string;
  /** Cuts texts like `cut` of `ToolContext`. */
  readonly cut: Cut;
}

/** Text, or text with further properties. */
export type ToolAnswer = string | ToolOutput;

/**
 * Port: a tool that a model can call. `execute` returns the text that the model reads; an error
 * that it throws becomes an error result that the model reads too.
 */
export abstract class Tool<Input = unknown> {
  abstract readonly name: string;
  /** For the model: the purpose of the tool, and when to use it. */
  abstract readonly description: string;
  abstract readonly input: ZodType<Input>;
  /** JSON Schema for the model, if `input` was made from it; otherwise it is made from `input`. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  abstract readonly policy: ToolPolicy;
  /** Overrides `TOOL_TIMEOUT_MS`; 0: none. */
  readonly timeout_ms?: number;
  /**
   * Its input may have an `ExactNumber` in place of a number that JavaScript would write otherwise.
   * A call of any other tool with a number that a double would change is refused.
   */
  readonly exact_numbers?: boolean;
  /**
   * Identifies what the model and a person know of a tool that its author may change at any time. A
   * call that was approved runs only as long as this is the same.
   */
  readonly declared?: string;
  /** It works in the folder of the chat: an approved call waits while that is missing. */
  readonly uses_workspace?: boolean;
  /** The tool calls `started` itself, after its preparation and before its effect. */
  readonly announces_start?: boolean;
  /** Describes the effect of a call, for the person who approves it. */
  summarize?(input: unknown, about: CallAbout): Promise<string> | string;
  abstract execute(input: Input, context: ToolContext): Promise<ToolAnswer> | ToolAnswer;
}
