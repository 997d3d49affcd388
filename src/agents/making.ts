import type { AgentIdentity } from './agent-context.js';

/** Context in which an agent makes its resources. */
export interface Making {
  readonly agent: AgentIdentity;
  /** Aborts when the agent is stopped, or when making takes too long. */
  readonly signal: AbortSignal;
  /**
   * Has an object disposed of, also when what is made after it fails. `dispose`: how, unless by its
   * `Symbol.asyncDispose` or `Symbol.dispose`. Answers the object.
   */
  readonly own: <T>(object: T, dispose?: (object: T) => unknown) => T;
}
