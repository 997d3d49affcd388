/** A path as it was given, in one spelling. */
export interface WorkspacePath {
  /** Without empty and `.` segments, and with `/` between them. */
  readonly text: string;
  /** It may lead out of the workspace: absolute, with `..`, `~` or a drive. */
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
 * What the path could be called inside of the workspace, which may be anywhere: of one that leads out, every end of it; of `a/../b` also `b`.
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
