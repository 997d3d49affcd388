import type { CodeRule, CompiledRule } from './compiled-rule.js';
import { compileRule } from './compiled-rule.js';
import { canonicalJson } from './matching/canonical-json.js';
import type { PermissionRule } from './permission-rule.js';

const MAX_COMPILED = 5000;

/** Compiles each matcher once, however often its rule is read anew. */
export class RuleCache {
  private readonly matchers = new Map<string, CompiledRule['match']>();

  readonly compile = (rule: PermissionRule | CodeRule): CompiledRule => {
    if (rule.matcher.type === 'custom') return compileRule(rule);
    const key = `${rule.decision === 'allow'} ${canonicalJson(rule.matcher)}`;
    const known = this.matchers.get(key);
    if (known) return { rule, match: known };
    if (this.matchers.size >= MAX_COMPILED) this.matchers.clear();
    const compiled = compileRule(rule);
    this.matchers.set(key, compiled.match);
    return compiled;
  };
}
