import type { RuleInput } from '../../permissions/permission-rule.js';

/** A kind of agent, as a file of its own says. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** The system prompt of its turns. */
  readonly instructions: string;
  /** `<provider>/<name>`; what the interaction or the parent uses unless given. */
  readonly model?: string;
  /** Names of the tools it may use, or globs of them; all unless given. */
  readonly tools?: readonly string[];
  readonly max_iterations?: number;
  /** For its calls, in order. */
  readonly permissions: readonly RuleInput[];
}

/** A fault of a file, for people: `agents/reviewer.md:4`. */
export interface AgentFileFault {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}
