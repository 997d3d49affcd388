import type { Folder } from '../folder.js';
import { openFileIn } from '../workspace.js';
import type { Breather } from './breather.js';
import { IgnoreRules } from './ignore-rules.js';

const NAME = '.gitignore';
const MAX_BYTES = 100_000;

interface Level {
  /** How much of a path leads to the folder of the file. */
  readonly prefix: number;
  readonly rules: IgnoreRules;
}

/** The `.gitignore` files on the way to a folder. */
export class IgnoreChain {
  static readonly NONE = new IgnoreChain([]);

  /** Outermost first. */
  private constructor(private readonly levels: readonly Level[]) {}

  /** With the one of this folder, if it has one that can be read. `at`: its path, '' for the root. */
  async enter(folder: Folder, at: string, breather: Breather): Promise<IgnoreChain> {
    const text = await readIfThere(folder);
    if (text === undefined) return this;
    const level = {
      prefix: at === '' ? 0 : at.length + 1,
      rules: await IgnoreRules.parse(text, breather),
    };
    return new IgnoreChain([...this.levels, level]);
  }

  /** The innermost file that says something of it decides. */
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
    const { handle } = await openFileIn(folder, NAME, NAME);
    try {
      const bytes = Buffer.alloc(MAX_BYTES);
      const { bytesRead } = await handle.read(bytes, 0, MAX_BYTES, 0);
      return bytes.subarray(0, bytesRead).toString();
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
