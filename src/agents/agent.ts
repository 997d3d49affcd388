import type { AgentContext, AgentIdentity } from './agent-context.js';
import type { DoneStep, HookContext, Step } from './agent-hooks.js';
import type { Message } from '../protocol/message.js';

/**
 * An agent type: an ordinary async function of its context. It may run again from the top after a
 * crash, so every effect, and anything else that is not deterministic (time, randomness, I/O), goes
 * through `ctx`.
 */
export abstract class Agent<R = unknown> {
  /**
   * Makes the runtime objects that the agent and its tools use: clients, connections, caches.
   * Called before each call of `run`; never journaled. When the run ends or is parked, the returned
   * value or its members are disposed of if they have `Symbol.asyncDispose` or `Symbol.dispose`,
   * and so are the objects given to `making.own`.
   */
  resources?(making: Making): Promise<R> | R;

  /**
   * A returned string becomes the answer, in place of the last answer of a visible turn, unless it
   * equals that one.
   */
  abstract run(ctx: AgentContext<R>): Promise<string | void>;

  /**
   * Hook: the agent's code requests a step. A returned string is the reason to refuse it: a tool
   * call gets it as its result, any other step rejects with `step_refused`. Like the other hooks,
   * it is called again when `run` is, in the same order; it must be synchronous, and an error that
   * it throws ends the agent.
   */
  beforeStep?(step: Step, ctx: HookContext<R>): string | void;

  /** Hook: a step has settled; the agent's code gets its outcome next. */
  afterStep?(step: DoneStep, ctx: HookContext<R>): void;

  /** Hook: a message joins the agent's conversation, from its prompt to its answer. */
  onMessage?(message: Message, ctx: HookContext<R>): void;
}

/** Context in which an agent makes its resources. */
export interface Making {
  readonly agent: AgentIdentity;
  /** Aborts when the agent is stopped, or when making takes too long. */
  readonly signal: AbortSignal;
  /**
   * Registers an object for disposal, even if a later object can't be made. `dispose`: the disposal
   * function, by default its `Symbol.asyncDispose` or `Symbol.dispose`. Returns the object.
   */
  readonly own: <T>(object: T, dispose?: (object: T) => unknown) => T;
}
