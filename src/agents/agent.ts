import type { AgentContext } from './agent-context.js';

/**
 * A kind of agent: an ordinary async function of its context. It may be run again from the top after a crash, so every effect,
 * and anything else that could come out differently (time, randomness, I/O), goes through `ctx`.
 */
export abstract class Agent {
  /** A returned string that isn't already the last answer becomes the answer. */
  abstract run(ctx: AgentContext): Promise<string | void>;
}
