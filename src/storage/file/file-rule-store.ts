import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../kernel/app-error.js';
import type { OwnedRule } from '../../permissions/rules/permission-rule.js';
import type { RuledCall, RuleFilter } from '../../permissions/rules/rule-store.js';
import { RuleStore } from '../../permissions/rules/rule-store.js';
import type { ChatRow } from '../../persistence/rows/chat-rows.js';
import { sees } from '../../persistence/viewer.js';
import type { Viewer } from '../../persistence/viewer.js';
import { orderRules, rulesAfter } from '../../permissions/rules/order-rules.js';
import type { RulePlace } from '../../permissions/rules/order-rules.js';
import { countUse, usesWithout } from '../../permissions/rules/rule-uses.js';
import type { RuleUses } from '../../permissions/rules/rule-uses.js';
import { TEMPORARY_SUFFIX } from './durable-files.js';
import { readJson, replaceJson } from './json-files.js';
import { KeyedMutex } from '../../kernel/async/keyed-mutex.js';
import { describeError } from './report-problem.js';
import type { PermissionRule } from '../../protocol/wire/rule.js';

export const RULES_FILE = 'permission-rules.json';

/** A rule with its uses. */
type StoredRule = OwnedRule & RuleUses;

export type FindChat = (uid: string) => ChatRow | undefined;

/** Content of the file. */
export interface SavedRules {
  readonly rules: readonly StoredRule[];
  /** Uses of rules of other files, by the id of the rule. */
  readonly uses_in_files?: Readonly<Record<string, Required<RuleUses>>>;
}

/** Rules in one human-readable file, `permission-rules.json`. For a single process. */
export class FileRuleStore extends RuleStore {
  private readonly mutex = new KeyedMutex();

  private constructor(
    private readonly path: string,
    private readonly findChat: FindChat,
    private kept: SavedRules,
  ) {
    super();
  }

  /**
   * Loads the rules in `data_dir`.
   * @throws AppError `rules_damaged`: running without the rules would allow what they deny
   */
  static async open({
    data_dir,
    findChat,
  }: {
    data_dir: string;
    findChat: FindChat;
  }): Promise<FileRuleStore> {
    const path = join(data_dir, RULES_FILE);
    await rm(path + TEMPORARY_SUFFIX, { force: true });
    return new FileRuleStore(path, findChat, await load(path));
  }

  /** Resolves once everything is on the disk. */
  async close(): Promise<void> {
    await this.mutex.idle();
  }

  async list(filter: RuleFilter): Promise<PermissionRule[]> {
    return this.rules.filter((rule) => this.matches(rule, filter)).map((rule) => toRule(rule));
  }

  async listInOrder(
    filter: RuleFilter,
    { limit, after }: { readonly limit: number; readonly after?: RulePlace },
  ): Promise<PermissionRule[]> {
    const ordered = orderRules(await this.list(filter));
    return (after ? rulesAfter(ordered, after) : ordered).slice(0, limit);
  }

  async listFor(call: RuledCall): Promise<PermissionRule[]> {
    const found = this.rules.filter(({ tenant_id, scope, scope_id, chat_uid }) => {
      if (tenant_id !== call.tenant_id) return false;
      if (scope === 'user') return scope_id === call.user_id;
      if (scope === 'session') return chat_uid === call.chat_uid;
      if (scope === 'agent') return scope_id === call.agent;
      return true;
    });
    return found.map((rule) => toRule(rule, call.use_key));
  }

  async find(id: string, viewer: Viewer): Promise<PermissionRule | undefined> {
    const found = this.rules.find((rule) => rule.id === id && this.matches(rule, { viewer }));
    return found && toRule(found);
  }

  add(rule: OwnedRule, limit: number): Promise<boolean> {
    return this.changeRules((rules) => {
      const beside = rules.filter((each) => isBeside(each, rule));
      const isTaken = rules.some(({ id }) => id === rule.id);
      if (isTaken || !this.isOfChat(rule) || beside.length >= limit) return { result: false };
      return { result: true, rules: [...rules, rule].sort(byAge) };
    });
  }

  remove(id: string, viewer: Viewer): Promise<boolean> {
    return this.changeRules((rules) => {
      const left = rules.filter((rule) => rule.id !== id || !this.matches(rule, { viewer }));
      return left.length === rules.length ? { result: false } : { result: true, rules: left };
    });
  }

  removeAll(filter: RuleFilter): Promise<number> {
    return this.changeRules((rules) => {
      const left = rules.filter((rule) => !this.matches(rule, filter));
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
    return this.kept.rules.filter((rule) => this.isOfChat(rule));
  }

  /** False if its chat was deleted. */
  private isOfChat({ chat_uid }: OwnedRule): boolean {
    return chat_uid === null || this.findChat(chat_uid) !== undefined;
  }

  private matches(rule: OwnedRule, { viewer, scope, scope_id }: RuleFilter): boolean {
    const isAsked =
      (scope === undefined || rule.scope === scope) &&
      (scope_id === undefined || rule.scope_id === scope_id);
    if (!isAsked || rule.tenant_id !== viewer.tenant_id) return false;
    if (rule.scope === 'user') return viewer.is_admin || rule.scope_id === viewer.user_id;
    const chat = rule.chat_uid === null ? undefined : this.findChat(rule.chat_uid);
    return rule.scope !== 'session' || (chat !== undefined && sees(viewer, chat));
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
  private change<T>(work: (kept: SavedRules) => { result: T; kept?: SavedRules }): Promise<T> {
    return this.mutex.run('rules', async () => {
      const { result, kept } = work(this.kept);
      if (kept) {
        await replaceJson(this.path, kept);
        this.kept = kept;
      }
      return result;
    });
  }
}

async function load(path: string): Promise<SavedRules> {
  try {
    const { rules, ...rest } = await readJson<SavedRules>(path, { rules: [] });
    return { ...rest, rules: [...rules].sort(byAge) };
  } catch (cause) {
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
  { used_by = [], uses, chat_uid: _chat, tenant_id: _tenant, ...rule }: StoredRule,
  useKey?: string,
): PermissionRule {
  return { ...rule, uses: usesWithout({ uses, used_by }, useKey) };
}

function isBeside(one: OwnedRule, other: OwnedRule): boolean {
  const { tenant_id, scope, scope_id } = other;
  return one.tenant_id === tenant_id && one.scope === scope && one.scope_id === scope_id;
}

function byAge(a: PermissionRule, b: PermissionRule): number {
  const [left, right] = [`${a.created_at} ${a.id}`, `${b.created_at} ${b.id}`];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
