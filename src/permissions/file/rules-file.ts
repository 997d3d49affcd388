import { readFile } from 'node:fs/promises';
import { decodeText } from '../../kernel/text/decode-text.js';
import { parseRules } from './parse-rules.js';
import { RulesFileError } from './rules-file-error.js';
import type { PermissionRule } from '../../protocol/wire/rule.js';

/** The rules of the file that PERMISSIONS_FILE names, as they were at the start. */
export class RulesFile {
  private constructor(
    readonly path: string | undefined,
    /** Rules in the order of the file. */
    readonly rules: readonly PermissionRule[],
  ) {}

  /** @throws RulesFileError */
  static async open(path: string | undefined): Promise<RulesFile> {
    if (path === undefined) return new RulesFile(undefined, []);
    const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === 'ENOENT' ? 'there is no such file' : `can't be read (${cause.code})`;
      const message = `${why}; PERMISSIONS_FILE names it`;
      throw new RulesFileError([{ place: path, message }], { cause });
    });
    return new RulesFile(path, parseRules(decodeText(bytes), path));
  }
}
