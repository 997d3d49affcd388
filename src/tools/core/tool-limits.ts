/** The limits of every tool. */
export abstract class ToolLimits {
  /** Default timeout of a call, in milliseconds; a tool may have its own. */
  abstract readonly toolTimeoutMs: number;
  /** Maximum length of a tool's output that the model sees, in characters (UTF-16 code units). */
  abstract readonly toolOutputLimit: number;
}

const STORED_FACTOR = 10;
const MAX_STORED = 1_000_000;

/**
 * Maximum length of an output that is kept for the tool `read`, in characters: more than the model
 * sees at once, but bounded.
 */
export function keptOutput({
  toolOutputLimit: limit,
}: Pick<ToolLimits, 'toolOutputLimit'>): number {
  return Math.max(limit, Math.min(STORED_FACTOR * limit, MAX_STORED));
}
