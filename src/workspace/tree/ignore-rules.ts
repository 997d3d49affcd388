import { compileGlob } from '../../matching/glob.js';
import type { LinearRegex } from '../../matching/linear-regex.js';
import type { Breather } from './breather.js';

/** Of one file; what stands below is not read. */
const MAX_RULES = 1000;
/** Characters of a line; a longer one is no pattern that anybody means. */
const MAX_LINE = 500;

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
  static async parse(text: string, breather: Breather): Promise<IgnoreRules> {
    const rules: IgnoreRule[] = [];
    for (const line of text.split(/\r?\n/, MAX_RULES)) {
      await breather.breathe();
      rules.push(...parseLine(line));
    }
    return new IgnoreRules(rules);
  }

  /** @param path relative to the folder of the file; undefined: no rule is about it */
  async ignores(path: string, isFolder: boolean, breather: Breather): Promise<boolean | undefined> {
    for (const { glob, folders_only, negated } of this.rules.toReversed()) {
      if (folders_only && !isFolder) continue;
      if (glob.covers(path) === true) return !negated;
      await breather.breathe();
    }
    return undefined;
  }
}

function parseLine(line: string): IgnoreRule[] {
  if (line.length > MAX_LINE || line.startsWith('#')) return [];
  const text = line.replace(/(?<!\\) +$/, '');
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
