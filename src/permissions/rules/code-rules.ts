import { Injectable } from '@nestjs/common';
import type { CodeRule } from './compiled-rule.js';

type NewCodeRule = Pick<CodeRule, 'id' | 'decision' | 'matcher'> &
  Partial<Omit<CodeRule, 'max_uses' | 'uses'>>;

/**
 * Rules that are added in code, for programs that embed the server. They are kept in memory only.
 */
@Injectable()
export class CodeRules {
  private readonly added: CodeRule[] = [];

  get rules(): readonly CodeRule[] {
    return this.added;
  }

  /** Adds a rule. Defaults: global scope, priority 0, older than all other rules. */
  add(rule: NewCodeRule): void {
    this.added.push({
      scope: 'global',
      scope_id: null,
      priority: 0,
      description: null,
      expires_at: null,
      created_at: null,
      ...rule,
      max_uses: null,
      uses: 0,
    });
  }
}
