/** What every tool is held to. */
export abstract class ToolLimits {
  /** How long a call may take, in milliseconds, unless the tool has a limit of its own. */
  abstract readonly toolTimeoutMs: number;
  /** Characters (UTF-16 code units) of a tool's output that the model gets to see. */
  abstract readonly toolOutputLimit: number;
}

const KEPT_TIMES = 10;
const MAX_KEPT = 1_000_000;

/** Characters of an output that may be kept for the tool `read` to open: more than the model gets to see at once, within bounds. */
export function keptOutput({
  toolOutputLimit: limit,
}: Pick<ToolLimits, 'toolOutputLimit'>): number {
  return Math.max(limit, Math.min(KEPT_TIMES * limit, MAX_KEPT));
}
