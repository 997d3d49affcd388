import type { RuleInput } from '../../protocol/wire/rule.js';

/** An agent type, as defined by a file. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** The system prompt of its turns. */
  readonly instructions: string;
  /** `<provider>/<name>`; by default the model of the interaction or the parent. */
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
