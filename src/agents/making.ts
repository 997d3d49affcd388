import type { AgentIdentity } from './agent-context.js';

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
