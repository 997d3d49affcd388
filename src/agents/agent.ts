import type { AgentContext } from './agent-context.js';
import type { DoneStep, HookContext, Step } from './agent-hooks.js';
import type { Making } from './making.js';
import type { Message } from '../protocol/message.js';

/**
 * A kind of agent: an ordinary async function of its context. It may be run again from the top
 * after a crash, so every effect, and anything else that could come out differently (time,
 * randomness, I/O), goes through `ctx`.
 */
export abstract class Agent<R = unknown> {
  /**
   * Makes the runtime objects that the agent and its tools use: clients, connections, caches.
   * Called before `run`, each time that is; never journaled. Disposed of when the run ends or rests
   * are what it answers, or members of that, that have `Symbol.asyncDispose` or `Symbol.dispose`,
   * and what it gives to `making.own`.
   */
  resources?(making: Making): Promise<R> | R;

  /** A returned string that isn't already the last answer becomes the answer. */
  abstract run(ctx: AgentContext<R>): Promise<string | void>;

  /**
   * Hook: the agent's code asks for a step. A string says why the step may not be done: a tool call
   * gets that as its result, any other step rejects with `step_refused`. As the other hooks, it is
   * called again when `run` is, in the same order; it has to be synchronous, and what it throws
   * ends the agent.
   */
  beforeStep?(step: Step, ctx: HookContext<R>): string | void;

  /** Hook: a step has come to its end, and the agent's code hears of it next. */
  afterStep?(step: DoneStep, ctx: HookContext<R>): void;

  /** Hook: a message joins the agent's conversation, from its prompt to its answer. */
  onMessage?(message: Message, ctx: HookContext<R>): void;
}
