/** A path from a tool call, normalized. */
export interface WorkspacePath {
  /** The path without empty and `.` segments, with `/` as the separator. */
  readonly text: string;
  /** True if the path may lead out of the workspace: absolute, with `..`, `~` or a drive. */
  readonly leaves: boolean;
}

export function toWorkspacePath(path: string): WorkspacePath {
  const slashed = path.normalize('NFC').replaceAll('\\', '/');
  const segments = slashed.split('/').filter((segment) => segment !== '' && segment !== '.');
  const leaves =
    /^(?:\/|~|[A-Za-z]:|\w+:\/\/)/.test(slashed) ||
    segments.includes('..') ||
    slashed.includes('\0');
  return { text: segments.join('/') || '.', leaves };
}

/**
 * The possible paths inside the workspace, whose location is unknown: for a path that leads out,
 * every suffix of it; for `a/../b` also `b`.
 */
export function possiblePaths(path: string): string[] {
  const { text, leaves } = toWorkspacePath(path);
  if (!leaves) return [text];
  const resolved: string[] = [];
  for (const segment of text.split('/')) {
    if (segment === '..') resolved.pop();
    else resolved.push(segment);
  }
  return resolved.slice(0, 64).map((_, at) => resolved.slice(at).join('/'));
}
