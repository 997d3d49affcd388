import { compileGlob } from '../../matching/glob.js';
import type { LinearRegex } from '../../matching/linear-regex.js';

/** Of one file; what stands below is not read. */
const MAX_RULES = 1000;

interface IgnoreRule {
  readonly glob: LinearRegex;
  readonly negated: boolean;
  readonly folders_only: boolean;
}

/**
 * A `.gitignore`, as git reads it. It says nothing of what is in an ignored folder: who walks doesn't go there. Matching takes linear time,
 * since such a file comes from whoever wrote the repository.
 */
export class IgnoreRules {
  private constructor(private readonly rules: readonly IgnoreRule[]) {}

  /** Lines that are no pattern are left out, as git does. */
  static parse(text: string): IgnoreRules {
    const lines = text.split(/\r?\n/).slice(0, MAX_RULES);
    return new IgnoreRules(lines.flatMap(parseLine));
  }

  /** @param path relative to the folder of the file; undefined: no rule is about it */
  ignores(path: string, isFolder: boolean): boolean | undefined {
    const last = this.rules.findLast(
      ({ glob, folders_only }) => (isFolder || !folders_only) && glob.covers(path) === true,
    );
    return last && !last.negated;
  }
}

function parseLine(line: string): IgnoreRule[] {
  const text = line.replace(/(?<!\\) +$/, '');
  if (text.startsWith('#')) return [];
  const negated = text.startsWith('!');
  const folders_only = text.endsWith('/');
  const pattern = text.slice(negated ? 1 : 0, folders_only ? -1 : undefined);
  if (pattern === '') return [];
  try {
    return [{ glob: compileGlob(toGlob(pattern)), negated, folders_only }];
  } catch {
    return [];
  }
}

/** A pattern with a slash is meant from the file's folder on, any other in every folder. */
function toGlob(pattern: string): string {
  const glob = pattern
    .replace(/(?<=[^/])\*\*+|\*\*+(?=[^/])/g, '*')
    .replace(/\\.|\[!?[^\]/\\]+\]|[{}]/g, (part) => (/^[{}]$/.test(part) ? `\\${part}` : part));
  return glob.includes('/') ? glob.replace(/^\//, '') : `**/${glob}`;
}
