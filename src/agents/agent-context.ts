import type { AgentStatus, FinishReason } from '../protocol/events.js';
import type { Budget } from '../protocol/budget.js';
import type { Usage } from '../protocol/interaction.js';
import type { Message, ToolCall } from '../protocol/message.js';
import type { Sampling } from '../protocol/sampling.js';
import type { Thinking } from '../protocol/thinking.js';
import type { ToolChoice } from '../models/model-provider.js';

/** Identity of the agent. */
export interface AgentIdentity {
  readonly id: string;
  readonly type: string;
  readonly parent_id: string | null;
  readonly chat_id: string;
  /** For what is kept for a chat: it is unique over all tenants, and never used again. */
  readonly chat_uid: string;
  readonly interaction_id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface GenerateOptions extends Sampling {
  /** Names of the tools to offer; by default all registered ones. */
  readonly tools?: readonly string[];
  /** `none`: no tool calls; calls that the model makes anyway are dropped. */
  readonly tool_choice?: ToolChoice;
  /** The system prompt of this turn. */
  readonly instructions?: string;
  /** A conversation of its own: `ctx.messages` is neither read nor appended to. */
  readonly messages?: readonly Message[];
  /** False: readers do not see the turn, and it stays out of `ctx.messages`. */
  readonly visible?: boolean;
  /** JSON Schema of the text. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /**
   * `<provider>/<name>`, or several separated by commas, of which the next one is tried when one
   * fails; by default the interaction's.
   */
  readonly model?: string;
  /** Effort, or an exact budget of 1,024 to 1,000,000 tokens, for models that think. */
  readonly thinking?: Thinking;
}

/** Result of a model turn. */
export interface Turn {
  readonly text: string;
  readonly tool_calls: readonly ToolCall[];
  readonly finish_reason: FinishReason;
  readonly usage: Usage;
}

export interface ToolOutcome {
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly output: string;
  readonly is_error: boolean;
}

export interface AskOptions {
  /** Answers to choose from; a person may still write another. */
  readonly options?: readonly string[];
}

/** Defaults of a child's turns. */
export interface AgentSettings extends Pick<GenerateOptions, 'tools' | 'instructions' | 'model'> {
  /** Maximum number of iterations of its loop. */
  readonly max_iterations?: number;
}

export interface ForkOptions extends AgentSettings {
  /** The kind of agent; `react` unless given. */
  readonly agent_type?: string;
  /**
   * `ctx.agent.metadata` of the child and of the agents below it; by default the parent's. Must be
   * JSON.
   */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Budget of the child and all agents below it. */
  readonly budget?: Budget;
}

/** `error`: it threw. */
export type AgentState = 'running' | AgentStatus;

/** A child agent, as its parent holds it. */
export interface AgentHandle {
  readonly agent_id: string;
  readonly type: string;
  readonly parent_id: string;
  /** The call inside whose tool it was started. */
  readonly parent_tool_call_id: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly state: AgentState;
  /** Ids of the agents that it started, in order. */
  readonly children: readonly string[];
  /** Its conversation so far. */
  readonly messages: readonly Message[];
  /** Stops it and its own children; `wait` rejects then. Does nothing once it has ended. */
  interrupt(): void;
}

/**
 * All capabilities of an agent. Each method is one journaled effect: on a run after a crash it
 * returns the outcome in the journal instead of being executed again, in the original order.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- agents name their resources
export abstract class AgentContext<R = unknown> {
  abstract readonly agent: AgentIdentity;
  /**
   * The conversation, including the newest images that tools showed. The next `generate` sends it,
   * or the part that fits the model.
   */
  abstract readonly messages: readonly Message[];
  /** Aborts when the interaction is cancelled. */
  abstract readonly signal: AbortSignal;
  /**
   * The objects that the agent's `resources` has made for this run, for the agent and its tools;
   * its parent's if its type has no such method. Never in the log.
   */
  abstract readonly resources: R;
  /**
   * The interaction's metadata as clients see it, with what was set by any of its agents and tools.
   * `agent.metadata` stays as it was at the start.
   */
  abstract readonly metadata: Readonly<Record<string, unknown>>;
  abstract readonly max_iterations: number;
  /**
   * The system prompt that replaces the agent's own: of the chat's settings, or of its `fork`.
   * Turns without `instructions` have it.
   */
  abstract readonly instructions: string | undefined;
  /** Names of the tools that the client has declared for this interaction and runs itself. */
  abstract readonly client_tools: readonly string[];

  /**
   * Model turn, streamed to readers. Without calls, a root agent's visible turn is an answer.
   * @throws ModelError when the model can't be reached or refuses, after retries
   */
  abstract generate(options?: GenerateOptions): Promise<Turn>;
  /**
   * Runs the calls in parallel; results in the calls' order, appended to `messages`. A tool's
   * failure is a result, not an exception.
   */
  abstract callTools(calls: readonly ToolCall[]): Promise<readonly ToolOutcome[]>;
  /**
   * Asks a person, and waits without a limit. null: declined, or expired. The question and its
   * answer join `messages`.
   */
  abstract ask(question: string, options?: AskOptions): Promise<string | null>;
  /**
   * Starts a child agent with a conversation of its own, which begins with the prompt. It runs
   * beside its parent; when the parent returns, children that still run are stopped.
   * @throws AppError `too_many_agents`, `unknown_agent`
   */
  abstract fork(prompt: string, options?: ForkOptions): Promise<AgentHandle>;
  /**
   * The child's return value, or else the last text that it said.
   * @throws AppError when it failed, with the code of its error, or was stopped: `agent_cancelled`
   */
  abstract wait(child: AgentHandle): Promise<string>;
  /**
   * Any other effect; executed at least once. Its value must be JSON. Using `ctx` inside `fn`
   * throws.
   */
  abstract step<T>(name: string, fn: () => Promise<T> | T): Promise<T>;
  /** Shows text to the reader, as a message, which joins `messages`. */
  abstract say(text: string): Promise<void>;
  /** Shows readers a notice about the run itself. */
  abstract notice(code: string, message: string): Promise<void>;
  /**
   * Sends readers an event of your own, `custom {name, data}`; at most 16 KB of JSON.
   * @throws AppError `invalid_event`
   */
  abstract emit(name: string, data: unknown): Promise<void>;
  /**
   * Sets a key of the `metadata` that clients see in the interaction; null removes it. At most 4 KB
   * of JSON a value, and 256 calls an agent. `metadata` has it afterwards.
   * @throws AppError `invalid_event`
   */
  abstract setMetadata(key: string, value: unknown): Promise<void>;
  /**
   * Leaves a note for a child or for the parent, which reads it with its next `generate`; an agent
   * that makes no further turn never reads it.
   * @throws AppError `no_parent`, `note_too_long`
   */
  abstract tell(agent: AgentHandle | 'parent', text: string): Promise<void>;
}
