import { compileGlob } from '../matching/glob.js';

/**
 * The tools that an agent's file means, of those that there are: by name in any case of letters,
 * `*` for anything. A tool that isn't there, because its server is away or another program has it,
 * is left out.
 */
export function offeredTools(
  patterns: readonly string[],
  names: readonly string[],
): readonly string[] {
  const globs = patterns.map((pattern) => compileGlob(pattern, { ignoreCase: true }));
  return names.filter((name) => globs.some((glob) => glob.covers(name) === true));
}
