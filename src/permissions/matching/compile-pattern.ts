import { compileGlob } from '../../matching/glob.js';
import { LinearRegex } from '../../matching/linear-regex.js';
import { MatcherFault } from './matcher-fault.js';

/** @throws MatcherFault */
export function compileRegex(pattern: string): LinearRegex {
  try {
    return LinearRegex.compile(pattern);
  } catch (cause) {
    const message = `is no regular expression (RE2 syntax: no look-around, no back references): ${textOf(cause)}`;
    throw new MatcherFault('pattern', message, { cause });
  }
}

/** @throws MatcherFault */
export function compileGlobOf(field: string, pattern: string, ignoreCase = false): LinearRegex {
  try {
    return compileGlob(pattern, { ignoreCase });
  } catch (cause) {
    throw new MatcherFault(field, `is no glob: ${textOf(cause)}`, { cause });
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
