import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../kernel/app-error.js';
import type { PermissionRule, RuleScope } from '../../permissions/permission-rule.js';
import type { RuledCall, RuleFilter } from '../../permissions/rule-store.js';
import { RuleStore } from '../../permissions/rule-store.js';
import { countUse, usesWithout } from '../../permissions/rules/rule-uses.js';
import type { RuleUses } from '../../permissions/rules/rule-uses.js';
import { replaceDurably, syncDirectory, TEMPORARY_SUFFIX } from './durable-files.js';
import { KeyedMutex } from '../../kernel/keyed-mutex.js';
import { describeError } from './report-problem.js';

const FILE_NAME = 'permission-rules.json';

/** A rule with its uses. */
type StoredRule = PermissionRule & RuleUses;

/** Rules in one human-readable file, `permission-rules.json`. For a single process. */
export class FileRuleStore extends RuleStore {
  private readonly mutex = new KeyedMutex();

  private constructor(
    private readonly folder: string,
    private rules: readonly StoredRule[],
  ) {
    super();
  }

  /**
   * Loads the rules in `data_dir`.
   * @throws AppError `rules_damaged`: running without the rules would allow what they deny
   */
  static async open({ data_dir }: { data_dir: string }): Promise<FileRuleStore> {
    await mkdir(data_dir, { recursive: true });
    const path = join(data_dir, FILE_NAME);
    await rm(path + TEMPORARY_SUFFIX, { force: true });
    return new FileRuleStore(data_dir, await load(path));
  }

  /** Resolves once everything is on the disk. */
  async close(): Promise<void> {
    await this.mutex.idle();
  }

  async list({ scope, scope_id }: RuleFilter = {}): Promise<PermissionRule[]> {
    const found = this.rules.filter(
      (rule) =>
        (scope === undefined || rule.scope === scope) &&
        (scope_id === undefined || rule.scope_id === scope_id),
    );
    return found.map((rule) => toRule(rule));
  }

  async listFor(call: RuledCall): Promise<PermissionRule[]> {
    const found = this.rules.filter(({ scope, scope_id }) => {
      if (scope === 'session') return scope_id === call.chat_id;
      if (scope === 'agent') return scope_id === call.agent;
      return true;
    });
    return found.map((rule) => toRule(rule, call.use_key));
  }

  async find(id: string): Promise<PermissionRule | undefined> {
    const found = this.rules.find((rule) => rule.id === id);
    return found && toRule(found);
  }

  add(rule: PermissionRule, limit: number): Promise<boolean> {
    return this.change((rules) => {
      const beside = rules.filter((r) => r.scope === rule.scope && r.scope_id === rule.scope_id);
      const isTaken = rules.some(({ id }) => id === rule.id);
      if (isTaken || beside.length >= limit) return { result: false };
      return { result: true, rules: [...rules, rule].sort(byAge) };
    });
  }

  remove(id: string): Promise<boolean> {
    return this.change((rules) => {
      const left = rules.filter((rule) => rule.id !== id);
      return left.length === rules.length ? { result: false } : { result: true, rules: left };
    });
  }

  removeScope(scope: RuleScope, scopeId?: string): Promise<number> {
    return this.change((rules) => {
      const left = rules.filter(
        (rule) => rule.scope !== scope || (scopeId !== undefined && rule.scope_id !== scopeId),
      );
      const result = rules.length - left.length;
      return result === 0 ? { result } : { result, rules: left };
    });
  }

  countUse(id: string, useKey: string): Promise<boolean> {
    return this.change((rules) => {
      const rule = rules.find((r) => r.id === id);
      const counted = rule && countUse(rule, useKey);
      if (!counted) return { result: false };
      if (counted.uses === rule.uses) return { result: true };
      return { result: true, rules: rules.map((r) => (r === rule ? { ...r, ...counted } : r)) };
    });
  }

  /** Changes memory only after the change is on the disk. */
  private change<T>(
    work: (rules: readonly StoredRule[]) => { result: T; rules?: readonly StoredRule[] },
  ): Promise<T> {
    return this.mutex.run('rules', async () => {
      const { result, rules } = work(this.rules);
      if (rules) {
        await replaceDurably(
          join(this.folder, FILE_NAME),
          `${JSON.stringify({ rules }, null, 2)}\n`,
        );
        await syncDirectory(this.folder);
        this.rules = rules;
      }
      return result;
    });
  }
}

async function load(path: string): Promise<StoredRule[]> {
  try {
    const { rules } = JSON.parse(await readFile(path, 'utf8')) as { rules: StoredRule[] };
    return [...rules].sort(byAge);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new AppError(
      'internal',
      'rules_damaged',
      `The permission rules in ${path} can't be read: ${describeError(cause)}. Mend the file, or move it away to start without rules.`,
      { cause },
    );
  }
}

/** The public form of a rule; `useKey`: without the uses of this key. */
function toRule({ used_by = [], uses, ...rule }: StoredRule, useKey?: string): PermissionRule {
  return { ...rule, uses: usesWithout({ uses, used_by }, useKey) };
}

function byAge(a: PermissionRule, b: PermissionRule): number {
  const [left, right] = [`${a.created_at} ${a.id}`, `${b.created_at} ${b.id}`];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
