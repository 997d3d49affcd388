import { Injectable } from '@nestjs/common';
import { viewerOf } from '../access/viewer-of.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../auth/principal.js';
import { AppError } from '../kernel/app-error.js';
import type { Viewer } from '../persistence/viewer.js';
import { ChatStore } from '../persistence/chat.store.js';
import { Clock } from '../kernel/clock.js';
import { Ids } from '../kernel/ids.js';
import { CodeRules } from './rules/code-rules.js';
import type { RuleSet } from './rules/compiled-rule.js';
import { DeclaredRules } from './rules/declared-rules.js';
import { RulesFile } from './file/rules-file.js';
import { canonicalJson } from '../kernel/json/json.js';
import { RuleStore } from './rules/rule-store.js';
import type { RuledCall, RuleFilter } from './rules/rule-store.js';
import { orderRules, rulesAfter } from './rules/order-rules.js';
import type { RulePlace } from './rules/order-rules.js';
import type { PermissionRule, RuleInput, RuleScope } from '../protocol/wire/rule.js';

/** Maximum number of rules per scope and scope id. */
const MAX_RULES = 1000;

interface RuleTarget {
  readonly scope: RuleScope | null;
  readonly scope_id: string | null;
}

/**
 * All rules of all sources: the file, code, agents' files, and the store. New rules are added to
 * the store.
 */
@Injectable()
export class RuleBook {
  constructor(
    private readonly store: RuleStore,
    private readonly file: RulesFile,
    private readonly code: CodeRules,
    private readonly declared: DeclaredRules,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly chats: ChatStore,
    private readonly audit: AuditTrail,
  ) {}

  /** A page of rules in order of evaluation; `after` is the last rule of the previous page. */
  async list(
    filter: RuleFilter,
    { limit, after }: { readonly limit: number; readonly after?: RulePlace },
  ): Promise<PermissionRule[]> {
    const inFiles = orderRules(this.listInFiles(filter));
    const page = { limit, ...(after && { after }) };
    const rules = [
      ...(await this.withUses(after ? rulesAfter(inFiles, after) : inFiles)),
      ...(await this.store.listInOrder(filter, page)),
    ];
    return orderRules(rules).slice(0, limit);
  }

  private listInFiles({ scope, scope_id }: Omit<RuleFilter, 'viewer'>): PermissionRule[] {
    return this.inFiles.filter(
      (rule) =>
        (scope === undefined || rule.scope === scope) &&
        (scope_id === undefined || rule.scope_id === scope_id),
    );
  }

  /** Every rule that can apply to a call. */
  async listFor(call: RuledCall): Promise<RuleSet> {
    const [inFiles, added] = await Promise.all([
      this.withUses(this.inFiles, call.use_key),
      this.store.listFor(call),
    ]);
    return { operator: [...this.code.rules, ...inFiles], added };
  }

  /** @throws AppError `chat_not_found` (404), `too_many_rules` (409) */
  async add(caller: Principal, input: RuleInput): Promise<PermissionRule> {
    const viewer = viewerOf(caller);
    const chat_uid = await this.findChatUid(input, viewer);
    const { tenant_id } = viewer;
    const created_at = this.clock.now().toISOString();
    const rule = { ...input, id: this.ids.make('rule'), created_at, uses: 0 };
    if (await this.store.add({ ...rule, tenant_id, chat_uid }, MAX_RULES)) {
      const { scope, scope_id, decision } = input;
      const detail = { rule_id: rule.id, scope, scope_id, decision };
      await this.audit.note(caller, 'rule.added', { ...chatOf(input), detail });
      return rule;
    }
    await this.findChatUid(input, viewer);
    throw new AppError(
      'conflict',
      'too_many_rules',
      `There are ${MAX_RULES} rules of that scope already. Delete some first.`,
    );
  }

  /** @throws AppError `chat_not_found` (404) */
  private async findChatUid(
    { scope, scope_id }: RuleInput,
    viewer: Viewer,
  ): Promise<string | null> {
    if (scope !== 'session' || scope_id === null) return null;
    return (await this.chats.findChat(scope_id, viewer))?.uid ?? unknownChat(scope_id);
  }

  /**
   * Finds a rule with the same effect that is evaluated no later and has neither an expiry nor a
   * maximum number of uses; undefined if there is none.
   */
  async findSame(input: RuleInput, viewer: Viewer): Promise<PermissionRule | undefined> {
    const { scope, scope_id, priority, decision, matcher } = input;
    const wanted = canonicalJson(matcher);
    const filter = { scope, ...(scope_id !== null && { scope_id }) };
    const rules = [...this.listInFiles(filter), ...(await this.store.list({ ...filter, viewer }))];
    return orderRules(rules).find(
      (rule) =>
        rule.decision === decision &&
        rule.priority >= priority &&
        rule.expires_at === null &&
        rule.max_uses === null &&
        canonicalJson(rule.matcher) === wanted,
    );
  }

  /** @throws AppError `rule_not_found` (404), `rule_of_file` (409) */
  async get(caller: Principal, id: string): Promise<PermissionRule> {
    if (this.inFiles.some((rule) => rule.id === id))
      throw ruleOfFile(id, this.declared.sourceOf(id) ?? this.file.path!);
    return (await this.store.find(id, viewerOf(caller))) ?? unknownRule(id);
  }

  /** @throws AppError as `get` */
  async remove(caller: Principal, id: string): Promise<void> {
    const rule = await this.get(caller, id);
    if (!(await this.store.remove(id, viewerOf(caller)))) unknownRule(id);
    await this.audit.note(caller, 'rule.removed', { ...chatOf(rule), detail: { rule_id: id } });
  }

  /** Returns the number of removed rules. Rules of files stay. */
  async removeAll(caller: Principal, filter: Omit<RuleFilter, 'viewer'>): Promise<number> {
    const count = await this.store.removeAll({ ...filter, viewer: viewerOf(caller) });
    const { scope = null, scope_id = null } = filter;
    const subject = { ...chatOf({ scope, scope_id }), detail: { scope, scope_id, count } };
    if (count > 0) await this.audit.note(caller, 'rule.removed', subject);
    return count;
  }

  /** Same contract as `RuleStore.countUse`. */
  async countUse(id: string, useKey: string): Promise<boolean> {
    const inFile = this.inFiles.find((rule) => rule.id === id);
    return inFile ? this.store.countUseInFile(inFile, useKey) : this.store.countUse(id, useKey);
  }

  private get inFiles(): readonly PermissionRule[] {
    return [...this.file.rules, ...this.declared.rules];
  }

  private async withUses(
    rules: readonly PermissionRule[],
    useKey?: string,
  ): Promise<readonly PermissionRule[]> {
    const limited = rules.filter(({ max_uses }) => max_uses !== null).map(({ id }) => id);
    if (limited.length === 0) return rules;
    const uses = await this.store.listUsesInFiles(limited, useKey);
    return rules.map((rule) => ({ ...rule, uses: uses.get(rule.id) ?? 0 }));
  }
}

/** The chat that a rule is about, if it is about one. */
function chatOf({ scope, scope_id }: RuleTarget): { chat_id?: string } {
  return scope === 'session' && scope_id !== null ? { chat_id: scope_id } : {};
}

function unknownRule(id: string): never {
  throw new AppError(
    'not_found',
    'rule_not_found',
    `There is no rule ${id}. GET /permissions/rules lists those there are.`,
  );
}

function unknownChat(id: string): never {
  const message = `scope_id names no chat: there is no chat ${id}. Create it first.`;
  const errors = [{ field: 'scope_id', message }];
  throw new AppError('not_found', 'chat_not_found', message, { errors });
}

function ruleOfFile(id: string, file: string): AppError {
  const message = `The rule ${id} is one of ${file}, which only its operator changes: take it out there.`;
  return new AppError('conflict', 'rule_of_file', message);
}
