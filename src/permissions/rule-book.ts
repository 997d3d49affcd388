import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { Ids } from '../kernel/ids.js';
import { CodeRules } from './code-rules.js';
import type { CodeRule } from './compiled-rule.js';
import { DeclaredRules } from './declared-rules.js';
import { RulesFile } from './file/rules-file.js';
import { canonicalJson } from './matching/canonical-json.js';
import type { PermissionRule, RuleInput, RuleScope } from './permission-rule.js';
import { RuleStore } from './rule-store.js';
import type { RuledCall, RuleFilter } from './rule-store.js';
import { orderRules } from './rules/order-rules.js';

/** Maximum number of rules per scope and scope id. */
const MAX_RULES = 1000;

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
  ) {}

  /** Rules in order of evaluation. */
  async list(filter: RuleFilter = {}): Promise<PermissionRule[]> {
    const { scope, scope_id } = filter;
    const inFiles = [...this.file.rules, ...this.declared.rules].filter(
      (rule) =>
        (scope === undefined || rule.scope === scope) &&
        (scope_id === undefined || rule.scope_id === scope_id),
    );
    return orderRules([...inFiles, ...(await this.store.list(filter))]);
  }

  /** Every rule that can apply to a call. */
  async listFor(call: RuledCall): Promise<(PermissionRule | CodeRule)[]> {
    const inFile = this.file.rulesFor(call.use_key);
    const { declared, code, store } = this;
    return [...code.rules, ...inFile, ...declared.rules, ...(await store.listFor(call))];
  }

  /** @throws AppError `too_many_rules` (409) */
  async add(input: RuleInput): Promise<PermissionRule> {
    const created_at = this.clock.now().toISOString();
    const rule = { ...input, id: this.ids.make('rule'), created_at, uses: 0 };
    if (await this.store.add(rule, MAX_RULES)) return rule;
    throw new AppError(
      'conflict',
      'too_many_rules',
      `There are ${MAX_RULES} rules of that scope already. Delete some first.`,
    );
  }

  /**
   * Finds a rule with the same effect that is evaluated no later and has neither an expiry nor a
   * maximum number of uses; undefined if there is none.
   */
  async findSame({
    scope,
    scope_id,
    priority,
    decision,
    matcher,
  }: RuleInput): Promise<PermissionRule | undefined> {
    const wanted = canonicalJson(matcher);
    const rules = await this.list({ scope, ...(scope_id !== null && { scope_id }) });
    return rules.find(
      (rule) =>
        rule.decision === decision &&
        rule.priority >= priority &&
        rule.expires_at === null &&
        rule.max_uses === null &&
        canonicalJson(rule.matcher) === wanted,
    );
  }

  /** @throws AppError `rule_not_found` (404), `rule_of_agent_file` (409) */
  async remove(id: string): Promise<void> {
    const source = this.declared.sourceOf(id);
    if (source !== undefined) throw declaredElsewhere(id, source);
    if ((await this.file.remove(id)) || (await this.store.remove(id))) return;
    throw new AppError(
      'not_found',
      'rule_not_found',
      `There is no rule ${id}. GET /permissions/rules lists those there are.`,
    );
  }

  /** Returns the number of removed rules. */
  async removeScope(scope: RuleScope, scopeId?: string): Promise<number> {
    const fromFile = await this.file.removeScope(scope, scopeId);
    return fromFile + (await this.store.removeScope(scope, scopeId));
  }

  /** Same contract as `RuleStore.countUse`. */
  async countUse(id: string, useKey: string): Promise<boolean> {
    const isInFile = this.file.rules.some((rule) => rule.id === id);
    return isInFile ? this.file.countUse(id, useKey) : this.store.countUse(id, useKey);
  }
}

function declaredElsewhere(id: string, source: string): AppError {
  const message = `The rule ${id} is one of ${source}: take it out there.`;
  return new AppError('conflict', 'rule_of_agent_file', message);
}
