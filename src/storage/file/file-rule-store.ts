import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../kernel/app-error.js';
import type { PermissionRule, RuleScope } from '../../permissions/permission-rule.js';
import type { RuledCall, RuleFilter } from '../../permissions/rule-store.js';
import { RuleStore } from '../../permissions/rule-store.js';
import { orderRules, rulesAfter } from '../../permissions/rules/order-rules.js';
import type { RulePlace } from '../../permissions/rules/order-rules.js';
import { countUse, usesWithout } from '../../permissions/rules/rule-uses.js';
import type { RuleUses } from '../../permissions/rules/rule-uses.js';
import { replaceDurably, syncDirectory, TEMPORARY_SUFFIX } from './durable-files.js';
import { KeyedMutex } from '../../kernel/keyed-mutex.js';
import { describeError } from './report-problem.js';

const FILE_NAME = 'permission-rules.json';

/** A rule with its uses. */
type StoredRule = PermissionRule &
  RuleUses & {
    /** Of the chat of a session rule: a chat that is created again has no rules. */
    readonly chat_uid?: string;
  };

/** The current uid of a chat; undefined if there is none. */
export type FindUid = (chatId: string) => string | undefined;

/** Content of the file. */
interface Kept {
  readonly rules: readonly StoredRule[];
  /** Uses of rules of other files, by the id of the rule. */
  readonly uses_in_files?: Readonly<Record<string, Required<RuleUses>>>;
}

/** Rules in one human-readable file, `permission-rules.json`. For a single process. */
export class FileRuleStore extends RuleStore {
  private readonly mutex = new KeyedMutex();

  private constructor(
    private readonly folder: string,
    private readonly findUid: FindUid,
    private kept: Kept,
  ) {
    super();
  }

  /**
   * Loads the rules in `data_dir`.
   * @throws AppError `rules_damaged`: running without the rules would allow what they deny
   */
  static async open({
    data_dir,
    findUid,
  }: {
    data_dir: string;
    findUid: FindUid;
  }): Promise<FileRuleStore> {
    const path = join(data_dir, FILE_NAME);
    await rm(path + TEMPORARY_SUFFIX, { force: true });
    return new FileRuleStore(data_dir, findUid, await load(path));
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

  async listInOrder(
    filter: RuleFilter,
    { limit, after }: { readonly limit: number; readonly after?: RulePlace },
  ): Promise<PermissionRule[]> {
    const ordered = orderRules(await this.list(filter));
    return (after ? rulesAfter(ordered, after) : ordered).slice(0, limit);
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
    return this.changeRules((rules) => {
      const beside = rules.filter((r) => r.scope === rule.scope && r.scope_id === rule.scope_id);
      const isTaken = rules.some(({ id }) => id === rule.id);
      const chat_uid = this.uidFor(rule);
      const isOfNoChat = rule.scope === 'session' && chat_uid === undefined;
      if (isTaken || isOfNoChat || beside.length >= limit) return { result: false };
      const stored = { ...rule, ...(chat_uid !== undefined && { chat_uid }) };
      return { result: true, rules: [...rules, stored].sort(byAge) };
    });
  }

  remove(id: string): Promise<boolean> {
    return this.changeRules((rules) => {
      const left = rules.filter((rule) => rule.id !== id);
      return left.length === rules.length ? { result: false } : { result: true, rules: left };
    });
  }

  removeScope(scope: RuleScope, scopeId?: string): Promise<number> {
    return this.changeRules((rules) => {
      const left = rules.filter(
        (rule) => rule.scope !== scope || (scopeId !== undefined && rule.scope_id !== scopeId),
      );
      const result = rules.length - left.length;
      return result === 0 ? { result } : { result, rules: left };
    });
  }

  countUse(id: string, useKey: string): Promise<boolean> {
    return this.changeRules((rules) => {
      const rule = rules.find((r) => r.id === id);
      const counted = rule && countUse(rule, useKey);
      if (!counted) return { result: false };
      if (counted.uses === rule.uses) return { result: true };
      return { result: true, rules: rules.map((r) => (r === rule ? { ...r, ...counted } : r)) };
    });
  }

  countUseInFile(
    { id, max_uses }: Pick<PermissionRule, 'id' | 'max_uses'>,
    useKey: string,
  ): Promise<boolean> {
    return this.change((kept) => {
      const counted = countUse({ uses: 0, ...kept.uses_in_files?.[id], max_uses }, useKey);
      if (!counted) return { result: false };
      const uses_in_files = { ...kept.uses_in_files, [id]: counted };
      return { result: true, kept: { ...kept, uses_in_files } };
    });
  }

  async listUsesInFiles(
    ids: readonly string[],
    useKey?: string,
  ): Promise<ReadonlyMap<string, number>> {
    const { uses_in_files = {} } = this.kept;
    const known = ids.filter((id) => Object.hasOwn(uses_in_files, id));
    return new Map(known.map((id) => [id, usesWithout(uses_in_files[id]!, useKey)]));
  }

  /** Without those of chats that were deleted. */
  private get rules(): readonly StoredRule[] {
    return this.kept.rules.filter((rule) => rule.chat_uid === this.uidFor(rule));
  }

  private uidFor({ scope, scope_id }: PermissionRule): string | undefined {
    return scope === 'session' ? this.findUid(scope_id!) : undefined;
  }

  private changeRules<T>(
    work: (rules: readonly StoredRule[]) => { result: T; rules?: readonly StoredRule[] },
  ): Promise<T> {
    return this.change((kept) => {
      const { result, rules } = work(this.rules);
      return { result, ...(rules && { kept: { ...kept, rules } }) };
    });
  }

  /** Changes memory only after the change is on the disk. */
  private change<T>(work: (kept: Kept) => { result: T; kept?: Kept }): Promise<T> {
    return this.mutex.run('rules', async () => {
      const { result, kept } = work(this.kept);
      if (kept) {
        await replaceDurably(join(this.folder, FILE_NAME), `${JSON.stringify(kept, null, 2)}\n`);
        await syncDirectory(this.folder);
        this.kept = kept;
      }
      return result;
    });
  }
}

async function load(path: string): Promise<Kept> {
  try {
    const { rules, ...rest } = JSON.parse(await readFile(path, 'utf8')) as Kept;
    return { ...rest, rules: [...rules].sort(byAge) };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { rules: [] };
    throw new AppError(
      'internal',
      'rules_damaged',
      `The permission rules in ${path} can't be read: ${describeError(cause)}. Fix the file, or move it away to start without rules.`,
      { cause },
    );
  }
}

/** The public form of a rule; `useKey`: without the uses of this key. */
function toRule(
  { used_by = [], uses, chat_uid: _, ...rule }: StoredRule,
  useKey?: string,
): PermissionRule {
  return { ...rule, uses: usesWithout({ uses, used_by }, useKey) };
}

function byAge(a: PermissionRule, b: PermissionRule): number {
  const [left, right] = [`${a.created_at} ${a.id}`, `${b.created_at} ${b.id}`];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
