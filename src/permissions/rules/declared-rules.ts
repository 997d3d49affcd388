import { Injectable } from '@nestjs/common';
import type { PermissionRule, RuleInput } from '../../protocol/wire/rule.js';

/**
 * Rules that are declared by a source other than a person, such as an agent's file. They are added
 * and removed together with that source.
 */
@Injectable()
export class DeclaredRules {
  private readonly declared = new Map<string, readonly PermissionRule[]>();

  /** Rules in order of declaration. */
  get rules(): readonly PermissionRule[] {
    return [...this.declared.values()].flat();
  }

  /** Replaces all rules that this source has declared. `source`: a path, for people. */
  replace(source: string, rules: readonly RuleInput[]): void {
    this.declared.delete(source);
    const name = source.replaceAll(/[^A-Za-z0-9]+/g, '_');
    const saved = rules.map((rule, at) => ({
      ...rule,
      ...{ id: `rule_${name}_${at + 1}`, created_at: null, uses: 0 },
    }));
    if (saved.length > 0) this.declared.set(source, saved);
  }

  /** The source that declared the rule; undefined if no source declared it. */
  sourceOf(id: string): string | undefined {
    const found = [...this.declared].find(([, rules]) => rules.some((rule) => rule.id === id));
    return found?.[0];
  }
}
