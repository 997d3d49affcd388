import { decodeText } from '../../kernel/text/decode-text.js';
import type { Folder } from '../folder.js';
import { openFileIn } from '../workspace.js';
import type { Breather } from '../../kernel/async/breather.js';
import { readSpan } from '../../kernel/disk/read-span.js';
import { IgnoreRules } from './ignore-rules.js';

export const IGNORE_FILE = '.gitignore';
const MAX_BYTES = 100_000;

interface Level {
  /** Length of the part of a path that leads to the folder of the `.gitignore` file. */
  readonly prefix: number;
  readonly rules: IgnoreRules;
}

/** The `.gitignore` files on the way to a folder. */
export class IgnoreChain {
  static readonly NONE = new IgnoreChain([]);

  /** Outermost file first. */
  private constructor(private readonly levels: readonly Level[]) {}

  /**
   * Adds the `.gitignore` of this folder, if there is a readable one. `at`: its path, '' for the
   * root.
   */
  async enter(folder: Folder, at: string, breather: Breather): Promise<IgnoreChain> {
    const text = await readIfThere(folder);
    if (text === undefined) return this;
    const level = {
      prefix: at === '' ? 0 : at.length + 1,
      rules: await IgnoreRules.parse(text, breather),
    };
    return new IgnoreChain([...this.levels, level]);
  }

  /** The innermost file with a matching rule decides. */
  async ignores(path: string, isFolder: boolean, breather: Breather): Promise<boolean> {
    for (const { prefix, rules } of this.levels.toReversed()) {
      const ignored = await rules.ignores(path.slice(prefix), isFolder, breather);
      if (ignored !== undefined) return ignored;
    }
    return false;
  }
}

async function readIfThere(folder: Folder): Promise<string | undefined> {
  try {
    const { handle } = await openFileIn(folder, IGNORE_FILE, IGNORE_FILE);
    try {
      return decodeText(await readSpan(handle, 0, MAX_BYTES));
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
