import { compileGlob } from '../matching/glob.js';

/**
 * The existing tools that an agent's file selects: by case-insensitive name, with `*` as a
 * wildcard. Missing tools are left out: their server may be unavailable, or they may belong to
 * another program.
 */
export function offeredTools(
  patterns: readonly string[],
  names: readonly string[],
): readonly string[] {
  const globs = patterns.map((pattern) => compileGlob(pattern, { ignoreCase: true }));
  return names.filter((name) => globs.some((glob) => glob.covers(name) === true));
}
