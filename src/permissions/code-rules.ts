import { Injectable } from '@nestjs/common';
import type { CodeRule } from './compiled-rule.js';

type NewCodeRule = Pick<CodeRule, 'id' | 'decision' | 'matcher'> &
  Partial<Omit<CodeRule, 'max_uses' | 'uses'>>;

/** Rules that are written in code, for whoever embeds the server. They last as long as the process. */
@Injectable()
export class CodeRules {
  private readonly added: CodeRule[] = [];

  get rules(): readonly CodeRule[] {
    return this.added;
  }

  /** Global, of priority 0, and older than all others unless it says otherwise. */
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
