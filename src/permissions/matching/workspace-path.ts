import { normalizeText } from '../../kernel/text/normalize-text.js';

/** A path from a tool call, normalized. */
export interface WorkspacePath {
  /** The path without empty and `.` segments, with `/` as the separator. */
  readonly text: string;
  /** True if the path may lead out of the workspace: absolute, with `..`, `~` or a drive. */
  readonly leaves: boolean;
}

export function toWorkspacePath(path: string): WorkspacePath {
  const slashed = normalizeText(path, 'NFC').replaceAll('\\', '/');
  const segments = slashed.split('/').filter((segment) => segment !== '' && segment !== '.');
  const leaves =
    /^(?:\/|~|[A-Za-z]:|\w+:\/\/)/.test(slashed) ||
    segments.includes('..') ||
    slashed.includes('\0');
  return { text: segments.join('/') || '.', leaves };
}

const MAX_SUFFIXES = 64;

/**
 * The possible paths inside the workspace, whose location is unknown: for a path that leads out,
 * every suffix of it; for `a/../b` also `b`. Each is as long as the path, so they come one by one.
 */
export function* possiblePaths(path: string): Generator<string> {
  const { text, leaves } = toWorkspacePath(path);
  if (!leaves) return yield text;
  const resolved: string[] = [];
  for (const segment of text.split('/')) {
    if (segment === '..') resolved.pop();
    else resolved.push(segment);
  }
  const count = Math.min(resolved.length, MAX_SUFFIXES);
  for (let at = 0; at < count; at++) yield resolved.slice(at).join('/');
}
