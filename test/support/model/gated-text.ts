import { Gate } from '../gate.js';

/** For a fake turn: these parts, with a gate before each but the first. */
export function gatedText(parts: readonly string[]): {
  readonly text: (string | Gate)[];
  readonly gates: Gate[];
} {
  const gates = parts.slice(1).map(() => new Gate());
  return { text: parts.flatMap((part, i) => (i === 0 ? [part] : [gates[i - 1]!, part])), gates };
}
