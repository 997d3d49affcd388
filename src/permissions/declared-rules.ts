import { Injectable } from '@nestjs/common';
import type { PermissionRule, RuleInput } from './permission-rule.js';

/** Rules that others than people declare, such as an agent's file: they come and go with what declares them. */
@Injectable()
export class DeclaredRules {
  private readonly declared = new Map<string, readonly PermissionRule[]>();

  /** In the order in which they were declared. */
  get rules(): readonly PermissionRule[] {
    return [...this.declared.values()].flat();
  }

  /** Puts `rules` in the place of what this source has declared so far. `source`: a path, for people. */
  replace(source: string, rules: readonly RuleInput[]): void {
    this.declared.delete(source);
    const name = source.replaceAll(/[^A-Za-z0-9]+/g, '_');
    const saved = rules.map((rule, at) => ({
      ...rule,
      ...{ id: `rule_${name}_${at + 1}`, created_at: null, uses: 0 },
    }));
    if (saved.length > 0) this.declared.set(source, saved);
  }

  /** Where the rule comes from, if it is one of these. */
  sourceOf(id: string): string | undefined {
    const found = [...this.declared].find(([, rules]) => rules.some((rule) => rule.id === id));
    return found?.[0];
  }
}
