import { readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
// oxlint-disable-next-line import/default -- to Node it is CommonJS, all of it the default export
import jsonc from 'jsonc-parser';
import { AppError } from '../../kernel/app-error.js';
import type { PermissionRule, RuleScope } from '../permission-rule.js';
import { parseRules } from './parse-rules.js';
import type { RuleInFile } from './parse-rules.js';
import { countUse, usesWithout } from '../rules/rule-uses.js';
import { RulesFileError } from './rules-file-error.js';

/**
 * The rules of the file that PERMISSIONS_FILE names. Removed rules and counted uses are saved to
 * the file. All other content of the file is kept, including comments. Rules are never added to the
 * file.
 */
export class RulesFile {
  private saving: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly path: string | undefined,
    private inFile: readonly RuleInFile[],
  ) {}

  /** @throws RulesFileError */
  static async open(path: string | undefined): Promise<RulesFile> {
    if (path === undefined) return new RulesFile(undefined, []);
    const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === 'ENOENT' ? 'there is no such file' : `can't be read (${cause.code})`;
      const message = `${why}; PERMISSIONS_FILE names it`;
      throw new RulesFileError([{ place: path, message }], { cause });
    });
    return new RulesFile(path, parseRules(text, path));
  }

  /** Rules in the order of the file. */
  get rules(): readonly PermissionRule[] {
    return this.inFile.map(({ rule }) => rule);
  }

  /** The rules, with the uses of this key left out of `uses`. */
  rulesFor(useKey: string | undefined): readonly PermissionRule[] {
    return this.inFile.map(({ rule, used_by }) => {
      const uses = usesWithout({ uses: rule.uses, used_by }, useKey);
      return uses === rule.uses ? rule : { ...rule, uses };
    });
  }

  /** Returns true if the rule was there. */
  async remove(id: string): Promise<boolean> {
    return (await this.removeAll((rule) => rule.id === id)) > 0;
  }

  /** Returns the number of removed rules. */
  removeScope(scope: RuleScope, scopeId?: string): Promise<number> {
    return this.removeAll(
      (rule) => rule.scope === scope && (scopeId === undefined || rule.scope_id === scopeId),
    );
  }

  /** Same contract as `RuleStore.countUse`. */
  countUse(id: string, useKey: string): Promise<boolean> {
    if (this.path === undefined) return Promise.resolve(false);
    return this.change((text, current) => {
      const found = current.find(({ rule }) => rule.id === id);
      const counted = found && countUse({ ...found.rule, used_by: found.used_by }, useKey);
      if (!counted) return { text, result: false };
      if (counted.uses === found.rule.uses) return { text, result: true };
      const counting = edit(text, [...found.path, 'uses'], counted.uses);
      return { text: edit(counting, [...found.path, 'used_by'], counted.used_by), result: true };
    });
  }

  private removeAll(isMeant: (rule: PermissionRule) => boolean): Promise<number> {
    if (!this.rules.some(isMeant)) return Promise.resolve(0);
    return this.change((text, current) => {
      const gone = current.filter(({ rule }) => isMeant(rule));
      // Removes from the end, so that the positions of the other rules stay valid.
      const left = gone.toReversed().reduce((now, { path }) => edit(now, path, undefined), text);
      return { text: left, result: gone.length };
    });
  }

  /**
   * Serializes the changes. Each change reads the file again, because a person may have edited it.
   */
  private change<T>(
    work: (text: string, current: readonly RuleInFile[]) => { text: string; result: T },
  ): Promise<T> {
    const changed = this.saving.then(async () => {
      const path = await realpath(this.path!);
      const before = await readFile(path, 'utf8');
      const { text, result } = work(before, this.parse(before));
      if (text !== before) await replace(path, text);
      this.inFile = this.parse(text);
      return result;
    });
    this.saving = changed.catch(() => {});
    return changed;
  }

  private parse(text: string): readonly RuleInFile[] {
    try {
      return parseRules(text, this.path!);
    } catch (cause) {
      if (!(cause instanceof RulesFileError)) throw cause;
      const message = `The rules file has faults now, so it was not changed. ${cause.message}`;
      throw new AppError('conflict', 'rules_file_faulty', message, { cause });
    }
  }
}

function edit(text: string, path: readonly (string | number)[], value: unknown): string {
  const indented = /\n(\s+)/.exec(text)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indented.includes('\t'),
    tabSize: indented.includes('\t') ? 4 : indented.replace(/.*\n/s, '').length,
  };
  return jsonc.applyEdits(text, jsonc.modify(text, [...path], value, { formattingOptions }));
}

/** Replaces the file atomically: a reader sees either the old or the new content, complete. */
async function replace(path: string, text: string): Promise<void> {
  const { mode } = await stat(path);
  await writeFile(`${path}.tmp`, text, { flush: true, mode });
  await rename(`${path}.tmp`, path);
}
