/** The effect of a call, in parts that are shown each in its own way. */
export interface ActionParts {
  /** A sentence of the server. */
  readonly text: string;
  /** The argument that it ends with, such as a command. */
  readonly code?: string;
  /** A unified diff. */
  readonly diff?: string;
}

/** Splits the description of a call; nothing of it is left out. */
export function splitAction(
  action: string,
  values: Readonly<Record<string, unknown>>,
): ActionParts {
  const at = startOfDiff(action);
  if (at >= 0) return { text: action.slice(0, at), diff: action.slice(at + 1) };
  const code = Object.values(values)
    .filter((value): value is string => typeof value === 'string' && value !== '')
    .filter((value) => action.endsWith(`: ${value}`))
    .sort((a, b) => b.length - a.length)[0];
  return code === undefined ? { text: action } : { text: action.slice(0, -code.length - 1), code };
}

/** Index of the line break before the diff; -1: there is none. */
function startOfDiff(action: string): number {
  for (let at = action.indexOf('\n--- '); at >= 0; at = action.indexOf('\n--- ', at + 1)) {
    const next = action.indexOf('\n', at + 1);
    if (next >= 0 && action.startsWith('\n+++ ', next)) return at;
  }
  return -1;
}
