/** What every tool is held to. */
export abstract class ToolLimits {
  /** How long a call may take, in milliseconds, unless the tool has a limit of its own. */
  abstract readonly toolTimeoutMs: number;
  /** Characters (UTF-16 code units) of a tool's output that the model gets to see. */
  abstract readonly toolOutputLimit: number;
}
