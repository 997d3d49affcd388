import { compileGlob } from '../../matching/glob.js';
import type { LinearRegex } from '../../matching/linear-regex.js';
import type { Breather } from '../../kernel/async/breather.js';

/** Maximum number of rules per file; the following lines are ignored. */
const MAX_RULES = 1000;
/** Maximum length of a line in characters; a longer line is not a realistic pattern. */
const MAX_LINE = 500;

interface IgnoreRule {
  readonly glob: LinearRegex;
  readonly negated: boolean;
  readonly folders_only: boolean;
}

/**
 * A `.gitignore`, with the semantics of git. It has no rules for the content of an ignored folder:
 * the walk does not enter it. Matching takes linear time, since such a file comes from the author
 * of the repository and is not trusted.
 */
export class IgnoreRules {
  private constructor(private readonly rules: readonly IgnoreRule[]) {}

  /** Invalid patterns are skipped, as in git. */
  static async parse(text: string, breather: Breather): Promise<IgnoreRules> {
    const rules: IgnoreRule[] = [];
    for (const line of text.split(/\r?\n/, MAX_RULES)) {
      await breather.breathe();
      rules.push(...parseLine(line));
    }
    return new IgnoreRules(rules);
  }

  /**
   * @param path relative to the folder of the file
   * @returns undefined if no rule matches
   */
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
  const text = line.replace(/(?<!\\) +$/, ''); // regex: of at most `MAX_LINE` characters
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

/**
 * A pattern with a slash is relative to the folder of the file; any other pattern applies in every
 * folder.
 */
function toGlob(pattern: string): string {
  // regex: of at most `MAX_LINE` characters
  const glob = pattern
    .replace(/(?<=[^/])\*\*+|\*\*+(?=[^/])/g, '*')
    .replace(/\\.|\[!?[^\]/\\]+\]|[{}]/g, (part) => (/^[{}]$/.test(part) ? `\\${part}` : part));
  return glob.includes('/') ? glob.replace(/^\//, '') : `**/${glob}`;
}
